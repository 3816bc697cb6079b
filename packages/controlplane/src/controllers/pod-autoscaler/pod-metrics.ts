import { type Kind, type KubernetesObject, parseDurationMs, Quantity } from '@kubewright/apimachinery';
import { kindFactory } from '@kubewright/apimachinery/internal';

/** The usage of a pod's containers, as served by the resource metrics API. */
export interface PodMetrics extends KubernetesObject {
  readonly timestamp?: string;
  readonly window?: string;
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

export const podMetricsKind: Kind<PodMetrics> = kindFactory<PodMetrics>({
  group: 'metrics.k8s.io',
  version: 'v1beta1',
  kind: 'PodMetrics',
  plural: 'pods',
  scope: 'Namespaced',
});

/** The usage of one resource by a pod. */
export interface PodUsage {
  /** The usage in thousandths of the resource's unit. */
  readonly milli: number;
  readonly atMs: number;
  readonly windowMs: number;
}

/**
 * Returns the usage of a resource by pod name, for one container or for all containers. Pods that lack a measurement are left
 * out.
 */
export function usageOf(
  items: readonly PodMetrics[],
  { resource, container }: { readonly resource: string; readonly container: string | undefined },
): Map<string, PodUsage> {
  const usages = new Map<string, PodUsage>();
  for (const { metadata, timestamp, window, containers = [] } of items) {
    const measured =
      container === undefined ? containers : containers.filter(({ name }) => name === container).slice(0, 1);
    const amounts = measured.map(({ usage }) => (Object.hasOwn(usage, resource) ? usage[resource] : undefined));
    if (amounts.length === 0 || amounts.includes(undefined)) continue;
    const milli = amounts.reduce((sum, text) => sum + Number(Quantity.parse(text ?? '0').milliValue()), 0);
    const windowMs = window === undefined ? 0 : parseDurationMs(window);
    usages.set(metadata.name ?? '', { milli, atMs: Date.parse(timestamp ?? ''), windowMs });
  }
  return usages;
}
