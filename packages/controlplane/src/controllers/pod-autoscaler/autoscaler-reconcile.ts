import { isConflict, type Kind, type KubernetesObject, LabelSelector, type Stored } from '@kubewright/apimachinery';
import { HorizontalPodAutoscaler, type MetricStatus } from '@kubewright/apimachinery/autoscaling/v2';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateStatus } from '../object-writes.ts';
import { messageOf } from '../pods/pod-control.ts';
import { AutoscalerStatus } from './autoscaler-status.ts';
import { MetricReplicas, metricFailure } from './metric-replicas.ts';
import { limitScaling, type ScalingHistory, trimHistory } from './scaling-rules.ts';

/** The scale subresource. */
interface Scale extends KubernetesObject {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly selector?: string };
}

/** The controller's in-memory state of an autoscaler. */
export interface KnownAutoscaler {
  readonly name: string;
  readonly namespace: string;
  history: ScalingHistory;
  selector: LabelSelector | undefined;
}

/** Dependencies of an autoscaler's reconcile. */
export interface AutoscalerParts {
  readonly ctx: RequestContext;
  readonly events: CoreEventRecorder;
  readonly known: KnownAutoscaler;
  /** Returns all autoscalers of the namespace, including this one. */
  readonly neighbors: () => readonly KnownAutoscaler[];
}

/** Thrown to end a reconcile whose failure has already been reported. */
class ReportedFailure extends Error {}

/** One reconcile of an autoscaler. */
export class AutoscalerReconcile {
  readonly #autoscaler: Stored<HorizontalPodAutoscaler>;
  readonly #parts: AutoscalerParts;
  readonly #status: AutoscalerStatus;
  readonly #metrics: MetricReplicas;

  constructor(autoscaler: Stored<HorizontalPodAutoscaler>, parts: AutoscalerParts) {
    this.#autoscaler = autoscaler;
    this.#parts = parts;
    this.#status = new AutoscalerStatus(autoscaler, parts.ctx.clock);
    this.#metrics = new MetricReplicas(autoscaler, parts.ctx);
  }

  async run(): Promise<void> {
    try {
      await this.#scale();
    } catch (error) {
      if (!(error instanceof ReportedFailure)) throw error;
    }
    if (sameJson(this.#status.value, this.#autoscaler.status ?? {})) return;
    const { ctx } = this.#parts;
    try {
      await updateStatus(ctx, {
        kind: HorizontalPodAutoscaler,
        object: { ...this.#autoscaler, status: this.#status.value },
      });
    } catch (error) {
      this.#note('Warning', 'FailedUpdateStatus', messageOf(error));
      throw error;
    }
  }

  async #scale(): Promise<void> {
    const { ctx, known } = this.#parts;
    const { minReplicas = 1, maxReplicas, behavior } = this.#autoscaler.spec ?? { maxReplicas: 0 };
    const { kind, scale } = await this.#target();
    const current = scale.spec?.replicas ?? 0;
    const nowMs = ctx.clock.monotonic();
    if (known.history.recommendations.length === 0) this.#remember('recommendations', current);
    const { desiredReplicas } = this.#status.value;
    let desired = current;
    let reason = '';
    this.#status.setSizes({ current, desired: desiredReplicas, metrics: [] });
    if (current === 0) {
      const message = 'scaling is disabled since the replica count of the target is zero';
      this.#status.set('ScalingActive', { ok: false, reason: 'ScalingDisabled', message });
    } else if (current > maxReplicas) {
      desired = maxReplicas;
      reason = 'Current number of replicas above Spec.MaxReplicas';
    } else if (current < minReplicas) {
      desired = minReplicas;
      reason = 'Current number of replicas below Spec.MinReplicas';
    } else {
      const best = await this.#propose(scale, current);
      reason = best.replicas > current ? `${best.name} above target` : 'All metrics below target';
      const { history } = known;
      const input = {
        currentReplicas: current,
        proposed: best.replicas,
        minReplicas,
        maxReplicas,
        behavior,
        history,
        nowMs,
      };
      const { replicas, ableToScale, scalingLimited } = limitScaling(input);
      known.history = trimHistory(history, { behavior, nowMs });
      this.#remember('recommendations', best.replicas);
      this.#status.set('AbleToScale', { ok: true, ...ableToScale });
      const { limited, ...why } = scalingLimited;
      this.#status.set('ScalingLimited', { ok: limited, ...why });
      desired = replicas;
    }
    if (desired !== current) await this.#rescale(kind, { scale, current, desired, reason });
    this.#status.setSizes({ current, desired, metrics: this.#status.value.currentMetrics ?? [] });
  }

  /** Reads the target's scale. */
  async #target(): Promise<{ readonly kind: Kind<Scale>; readonly scale: Scale }> {
    const { client, signal } = this.#parts.ctx;
    const { apiVersion = '', kind = '', name = '' } = this.#autoscaler.spec?.scaleTargetRef ?? {};
    try {
      const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
      const resource = (await client.discovery.mapper({ signal })).forKind({ group, kind });
      if (!resource) throw new Error(`no matches for kind "${kind}" in group "${group}"`);
      const found = resource as Kind<Scale>;
      const { namespace } = this.#autoscaler.metadata;
      const scale = await client.resource(found).subresource<Scale>('scale').get({ namespace, name }, { signal });
      const message = "the HPA controller was able to get the target's current scale";
      this.#status.set('AbleToScale', { ok: true, reason: 'SucceededGetScale', message });
      return { kind: found, scale };
    } catch (error) {
      const what = messageOf(error);
      this.#note('Warning', 'FailedGetScale', what);
      const message = `the HPA controller was unable to get the target's current scale: ${what}`;
      this.#status.set('AbleToScale', { ok: false, reason: 'FailedGetScale', message });
      throw new ReportedFailure(what);
    }
  }

  /**
   * Returns the largest number of replicas that any metric proposes. If a metric is unavailable, never proposes to scale down.
   */
  async #propose(scale: Scale, current: number): Promise<{ readonly name: string; readonly replicas: number }> {
    const specs = this.#autoscaler.spec?.metrics ?? [];
    let best = { name: '', replicas: 0 };
    const statuses: MetricStatus[] = [];
    const failures: { readonly reason: string; readonly message: string; readonly what: string }[] = [];
    const pods = this.#pods(scale);
    for (const spec of specs) {
      try {
        const { name, replicas, status } = await this.#metrics.of(spec, { current, ...pods });
        statuses.push(status);
        if (best.replicas === 0 || replicas > best.replicas) best = { name, replicas };
      } catch (error) {
        const what = messageOf(error);
        // As in upstream, a metric that cannot be computed keeps its place in the list.
        statuses.push({ type: '' });
        const reason = `FailedGet${spec.type === 'Resource' ? 'Resource' : spec.type}Metric`;
        this.#note('Warning', reason, what);
        failures.push({
          reason,
          message: `the HPA was unable to compute the replica count: ${what}`,
          what: metricFailure(spec, what),
        });
      }
    }
    this.#status.setSizes({ current, desired: this.#status.value.desiredReplicas, metrics: statuses });
    const [first] = failures;
    if (first && (failures.length >= specs.length || best.replicas < current)) {
      this.#status.set('ScalingActive', { ok: false, reason: first.reason, message: first.message });
      const what = `invalid metrics (${failures.length} invalid out of ${specs.length}), first error is: ${first.what}`;
      this.#note('Warning', 'FailedComputeMetricsReplicas', what);
      throw new ReportedFailure(what);
    }
    const message = `the HPA was able to successfully calculate a replica count from ${best.name}`;
    this.#status.set('ScalingActive', { ok: true, reason: 'ValidMetricFound', message });
    return best;
  }

  /** Returns the target's pods. Fails if another autoscaler controls some of them. */
  #pods({ status }: Scale): { readonly pods: readonly Stored<Pod>[]; readonly selector: string } {
    const { ctx, known, neighbors } = this.#parts;
    const selector = status?.selector ?? '';
    if (selector === '') {
      const message = "the HPA target's scale is missing a selector";
      throw this.#invalidSelector('SelectorRequired', {
        reason: 'InvalidSelector',
        message,
        what: 'selector is required',
      });
    }
    const { namespace } = this.#autoscaler.metadata;
    known.selector = LabelSelector.parse(selector);
    const pods = ctx.cache.lister(Pod).list({ namespace, labelSelector: selector });
    const controlling = neighbors().filter((each) =>
      pods.some(({ metadata }) => each === known || each.selector?.matches(metadata.labels) === true),
    );
    if (controlling.length > 1) {
      const names = controlling.map((each) => `${each.namespace}/${each.name}`).sort();
      const what = `pods by selector ${selector} are controlled by multiple HPAs: [${names.join(' ')}]`;
      throw this.#invalidSelector('AmbiguousSelector', { reason: 'AmbiguousSelector', message: what, what });
    }
    return { pods, selector };
  }

  #invalidSelector(
    event: string,
    { reason, message, what }: { readonly reason: string; readonly message: string; readonly what: string },
  ): ReportedFailure {
    this.#note('Warning', event, what);
    this.#status.set('ScalingActive', { ok: false, reason, message });
    this.#note('Warning', 'FailedComputeMetricsReplicas', what);
    return new ReportedFailure(what);
  }

  async #rescale(
    kind: Kind<Scale>,
    { scale, current, desired, reason }: { scale: Scale; current: number; desired: number; reason: string },
  ): Promise<void> {
    const { client, signal } = this.#parts.ctx;
    const { namespace } = this.#autoscaler.metadata;
    const { name = '' } = this.#autoscaler.spec?.scaleTargetRef ?? {};
    const scales = client.resource(kind).subresource<Scale>('scale');
    const write = (object: Scale) =>
      scales.update({ ...object, spec: { ...object.spec, replicas: desired } }, { signal });
    try {
      await write(scale).catch(async (error: unknown) => {
        if (!isConflict(error)) throw error;
        return write(await scales.get({ namespace, name }, { signal }));
      });
    } catch (error) {
      const what = messageOf(error);
      this.#note('Warning', 'FailedRescale', `New size: ${desired}; reason: ${reason}; error: ${what}`);
      const message = `the HPA controller was unable to update the target scale: ${what}`;
      this.#status.set('AbleToScale', { ok: false, reason: 'FailedUpdateScale', message });
      throw new ReportedFailure(what);
    }
    const message = `the HPA controller was able to update the target scale to ${desired}`;
    this.#status.set('AbleToScale', { ok: true, reason: 'SucceededRescale', message });
    this.#note('Normal', 'SuccessfulRescale', `New size: ${desired}; reason: ${reason}`);
    this.#remember(desired > current ? 'added' : 'removed', Math.abs(desired - current));
    this.#status.setScaled();
  }

  #remember(what: keyof ScalingHistory, replicas: number): void {
    const { known, ctx } = this.#parts;
    const samples = [...known.history[what], { atMs: ctx.clock.monotonic(), replicas }];
    known.history = { ...known.history, [what]: samples };
  }

  #note(type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#parts.events.record(this.#parts.ctx, { about: this.#autoscaler, type, reason, message });
  }
}
