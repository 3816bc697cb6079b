import { Quantity, type Stored } from '@kubewright/apimachinery';
import type {
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  MetricTarget,
} from '@kubewright/apimachinery/autoscaling/v2';
import type { Pod } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import { messageOf } from '../pods/pod-control.ts';
import { podMetricsKind, usageOf } from './pod-metrics.ts';
import { byAverage, byUtilization } from './replica-calculation.ts';

/** The number of replicas that a metric proposes, and the metric's status. */
export interface MetricProposal {
  readonly name: string;
  readonly replicas: number;
  readonly status: MetricStatus;
}

/** The pods of an autoscaler's target. */
export interface MeasuredPods {
  /** The target's current number of replicas. */
  readonly current: number;
  readonly pods: readonly Stored<Pod>[];
  readonly selector: string;
}

/** Reads metrics and computes the number of replicas that each one proposes. */
export class MetricReplicas {
  readonly #autoscaler: Stored<HorizontalPodAutoscaler>;
  readonly #ctx: RequestContext;

  constructor(autoscaler: Stored<HorizontalPodAutoscaler>, ctx: RequestContext) {
    this.#autoscaler = autoscaler;
    this.#ctx = ctx;
  }

  /**
   * Returns the number of replicas that a metric proposes, and the metric's status.
   *
   * @throws Error if the metric cannot be computed.
   */
  async of(spec: MetricSpec, of: MeasuredPods): Promise<MetricProposal> {
    const { type, resource, containerResource } = spec;
    if (type === 'Resource' && resource) {
      const { name, target } = resource;
      const { current, ...rest } = await this.#resource(target, { ...of, resource: name, container: undefined });
      return { ...rest, status: { type, resource: { name, current } } };
    }
    if (type === 'ContainerResource' && containerResource) {
      const { name, container, target } = containerResource;
      const { current, ...rest } = await this.#resource(target, { ...of, resource: name, container });
      return { ...rest, status: { type, containerResource: { name, container, current } } };
    }
    const metric = (spec.pods ?? spec.object ?? spec.external)?.metric.name ?? '';
    const why =
      type === 'External'
        ? `unable to fetch metrics from external metrics API: the server could not find the requested resource (get ${metric}.external.metrics.k8s.io)`
        : 'unable to fetch metrics from custom metrics API: no custom metrics API (custom.metrics.k8s.io) registered';
    throw new Error(`unable to get metric ${metric}: ${why}`);
  }

  async #resource(
    target: MetricTarget,
    of: MeasuredPods & { readonly resource: string; readonly container: string | undefined },
  ): Promise<
    Omit<MetricProposal, 'status'> & { readonly current: { averageUtilization?: number; averageValue: string } }
  > {
    const { resource, container, pods, current: currentReplicas } = of;
    const { averageValue, averageUtilization = 0 } = target;
    try {
      const usages = await this.#usages(of);
      const nowMs = this.#ctx.clock.now();
      const input = { currentReplicas, pods, usages, resource, container, tolerance: this.#tolerance(), nowMs };
      const { replicas, averageMilli, utilization } =
        averageValue === undefined
          ? byUtilization(input, averageUtilization)
          : byAverage(input, Number(Quantity.parse(averageValue).milliValue()));
      const current = {
        ...defined({ averageUtilization: utilization }),
        averageValue: amountText(resource, averageMilli),
      };
      const part = container === undefined ? '' : 'container ';
      const name =
        averageValue === undefined
          ? `${resource} ${part}resource utilization (percentage of request)`
          : `${resource} ${part}resource`;
      return { name, replicas, current };
    } catch (error) {
      const what = averageValue === undefined ? 'utilization' : 'usage';
      throw new Error(`failed to get ${resource} ${what}: ${messageOf(error)}`, { cause: error });
    }
  }

  async #usages({
    resource,
    container,
    selector,
  }: {
    resource: string;
    container: string | undefined;
    selector: string;
  }) {
    const { client, signal } = this.#ctx;
    const { namespace } = this.#autoscaler.metadata;
    const failed = `unable to get metrics for resource ${resource}`;
    const { items } = await client
      .resource(podMetricsKind)
      .list({ namespace, labelSelector: selector, signal })
      .catch((cause: unknown) => {
        const what = `unable to fetch metrics from resource metrics API: ${messageOf(cause)}`;
        throw new Error(`${failed}: ${what}`, { cause });
      });
    if (items.length === 0) throw new Error(`${failed}: no metrics returned from resource metrics API`);
    return usageOf(items, { resource, container });
  }

  #tolerance(): { readonly up: number; readonly down: number } {
    const { scaleUp, scaleDown } = this.#autoscaler.spec?.behavior ?? {};
    const of = (text: string | undefined): number => (text === undefined ? 0.1 : Quantity.parse(text).toNumber());
    return { up: of(scaleUp?.tolerance), down: of(scaleDown?.tolerance) };
  }
}

/** Builds the message for a metric that could not be computed. */
export function metricFailure({ type, resource, containerResource, external }: MetricSpec, what: string): string {
  if (type === 'Resource') return `failed to get ${resource?.name} resource metric value: ${what}`;
  if (type === 'ContainerResource')
    return `failed to get ${containerResource?.container} container metric value: ${what}`;
  if (type === 'External') return `failed to get ${external?.metric.name} external metric value: ${what}`;
  return `failed to get ${type.toLowerCase()} metric value: ${what}`;
}

/** Formats an average as the metrics API does: memory with a binary suffix. */
function amountText(resource: string, milli: number): string {
  if (resource !== 'memory' || milli % 1000 !== 0) return Quantity.parse(`${milli}m`).canonical();
  // A sum keeps the format of its first operand, so this yields a binary suffix.
  const binary = Quantity.parse('1Ki');
  return binary
    .add(Quantity.of(milli / 1000))
    .sub(binary)
    .canonical();
}
