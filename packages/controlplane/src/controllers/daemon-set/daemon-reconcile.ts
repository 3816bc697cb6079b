import { isConflict, isDeleting, isNotFound, LabelSelector, objectKey, type Stored } from '@kubewright/apimachinery';
import { DaemonSet, type DaemonSetStatus } from '@kubewright/apimachinery/apps/v1';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { ReconcileOutcome, RequestContext } from '@kubewright/runtime';
import { claim } from '../claim.ts';
import type { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateStatus } from '../object-writes.ts';
import { orphansOf } from '../orphan-owners.ts';
import { isNamespaceTerminating, type PodControl } from '../pods/pod-control.ts';
import { isPodEnded, msUntilAvailable } from '../pods/pod-state.ts';
import { slowStart } from '../slow-start.ts';
import { type DaemonPlan, type DaemonState, type EndedPods, planDaemons } from './daemon-plan.ts';
import { daemonPod, targetNode } from './daemon-pod.ts';
import { findRevisions, truncateHistory } from './daemon-revisions.ts';
import { daemonSetStatus } from './daemon-status.ts';
import type { FailedPodBackoff } from './failed-pod-backoff.ts';
import { planUpdate } from './rolling-update.ts';

/** Maximum number of pods that one reconcile creates. The same limit applies to deletions. */
const burst = 250;

/** Dependencies of a daemon set's reconcile. */
export interface DaemonParts {
  readonly ctx: RequestContext;
  readonly events: CoreEventRecorder;
  readonly control: PodControl;
  readonly backoff: FailedPodBackoff;
}

/** One reconcile of a daemon set. */
export class DaemonReconcile {
  readonly #set: Stored<DaemonSet>;
  readonly #parts: DaemonParts;
  #waitMs: number | undefined;

  constructor(set: Stored<DaemonSet>, parts: DaemonParts) {
    this.#set = set;
    this.#parts = parts;
  }

  async run(): Promise<ReconcileOutcome> {
    const { ctx, events } = this.#parts;
    const set = this.#set;
    if (LabelSelector.ofObject(set.spec?.selector).isEmpty) {
      const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
      events.record(ctx, { about: set, type: 'Warning', reason: 'SelectingAll', message });
      return undefined;
    }
    if (isDeleting(set)) return undefined;
    const { hash, old } = await findRevisions(ctx, { set, pods: await this.#claimed() });
    let failure: { readonly error: unknown } | undefined;
    try {
      await this.#update(hash);
      await truncateHistory(ctx, { set, old, pods: await this.#claimed() });
    } catch (error) {
      // Rethrow the error only after the status is written.
      failure = { error };
    }
    const state = await this.#state(hash);
    await this.#report(daemonSetStatus(state));
    if (failure) throw failure.error;
    const waits = [this.#waitMs, nextAvailability(state)].filter((ms) => ms !== undefined);
    return waits.length === 0 ? undefined : { requeueAfterMs: Math.min(...waits) + 1 };
  }

  async #update(hash: string): Promise<void> {
    const state = await this.#state(hash);
    const { create, remove, ...ended } = planDaemons(state);
    const plan = { create, remove: [...this.#endedPodsToRemove(ended, state), ...remove] };
    await this.#apply(plan, hash);
    // The update continues once these pods are created or deleted: their events trigger the next reconcile.
    if (plan.create.length > 0 || plan.remove.length > 0) return;
    if (this.#set.spec?.updateStrategy?.type === 'RollingUpdate') await this.#apply(planUpdate(state), hash);
  }

  /**
   * Returns the ended pods to delete now. If the pods of a node keep failing, their deletion is delayed longer each
   * time.
   */
  #endedPodsToRemove({ failed, succeeded }: EndedPods, { nowMs }: DaemonState): readonly Stored<Pod>[] {
    const { backoff } = this.#parts;
    const { uid, namespace } = this.#set.metadata;
    const remove: Stored<Pod>[] = [];
    for (const { pod, node } of failed) {
      const key = `${uid}/${this.#set.status?.observedGeneration ?? 0}/${node}`;
      const delayMs = backoff.delayMs(key, nowMs);
      if (delayMs !== undefined) {
        this.#waitMs = Math.min(this.#waitMs ?? delayMs, delayMs);
        continue;
      }
      backoff.note(key, nowMs);
      const message = `Found failed daemon pod ${namespace}/${pod.metadata.name} on node ${node}, will try to kill it`;
      this.#note({ type: 'Warning', reason: 'FailedDaemonPod', message });
      remove.push(pod);
    }
    for (const { pod, node } of succeeded) {
      const message = `Found succeeded daemon pod ${namespace}/${pod.metadata.name} on node ${node}, will try to delete it`;
      this.#note({ type: 'Normal', reason: 'SucceededDaemonPod', message });
      remove.push(pod);
    }
    return remove;
  }

  async #apply({ create, remove }: DaemonPlan, hash: string): Promise<void> {
    const { ctx, control } = this.#parts;
    const owner = this.#set;
    const { error } = await slowStart(Math.min(create.length, burst), async (at) => {
      await control.create(ctx, { pod: daemonPod(owner, { nodeName: create[at] ?? '', hash }), owner });
    });
    const doomed = [...new Set(remove)].slice(0, burst);
    const deletions = await Promise.allSettled(doomed.map((pod) => control.delete(ctx, { pod, owner })));
    if (error !== undefined && !isNamespaceTerminating(error)) throw error;
    const rejected = deletions.find((result) => result.status === 'rejected');
    if (rejected) throw rejected.reason;
  }

  async #state(hash: string): Promise<DaemonState> {
    const { ctx } = this.#parts;
    const pods = new Map<string, Stored<Pod>[]>();
    for (const pod of await this.#claimed()) {
      const node = targetNode(pod);
      // Ignore finished pods that are being deleted.
      if (node === undefined || (isPodEnded(pod) && isDeleting(pod))) continue;
      pods.set(node, [...(pods.get(node) ?? []), pod]);
    }
    return { set: this.#set, nodes: ctx.cache.lister(Node).list(), pods, hash, nowMs: ctx.clock.now() };
  }

  async #claimed(): Promise<readonly Stored<Pod>[]> {
    const { ctx } = this.#parts;
    const owner = this.#set;
    const { uid, namespace } = owner.metadata;
    const lister = ctx.cache.lister(Pod);
    const of = (value: string) => lister.list({ index: { name: 'controller', value } });
    const candidates = [...of(uid), ...of(orphansOf(namespace))];
    const selector = LabelSelector.ofObject(owner.spec?.selector);
    return claim(ctx, { owner, ownerKind: DaemonSet, kind: Pod, selector, candidates });
  }

  async #report(status: DaemonSetStatus): Promise<void> {
    const { ctx } = this.#parts;
    const set = this.#set;
    if (sameJson(set.status ?? {}, status)) return;
    try {
      await updateStatus(ctx, { kind: DaemonSet, object: { ...set, status } });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      // Retry once on the live object, as upstream does.
      const live = await ctx.client.resource(DaemonSet).get(objectKey(set), { signal: ctx.signal });
      if (live.metadata.uid === set.metadata.uid) {
        await updateStatus(ctx, { kind: DaemonSet, object: { ...live, status } });
      }
    }
  }

  #note(note: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }): void {
    this.#parts.events.record(this.#parts.ctx, { about: this.#set, ...note });
  }
}

function nextAvailability({ set, pods, nowMs }: DaemonState): number | undefined {
  const { minReadySeconds = 0 } = set.spec ?? {};
  const waits = [...pods.values()]
    .flat()
    .map((pod) => msUntilAvailable(pod, { minReadySeconds, nowMs }))
    .filter((ms): ms is number => ms !== undefined && ms > 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}
