import type { ServicePort } from '@kubewright/apimachinery/core/v1';
import type { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';

/** A pod behind a Service. */
export interface ReadyPod {
  readonly namespace: string;
  readonly name: string;
  /** The port of the pod that the Service's port maps to. */
  readonly port: number;
}

/**
 * Returns the pods that receive connections to a Service's port, without duplicates. Endpoints that are not pods are
 * left out.
 *
 * @param slices - the EndpointSlices of the Service.
 */
export function readyPods({ name = '' }: ServicePort, slices: readonly EndpointSlice[]): readonly ReadyPod[] {
  const found = new Map<string, ReadyPod>();
  for (const { metadata = {}, ports, endpoints } of slices) {
    const port = ports?.find((each) => (each.name ?? '') === name && (each.protocol ?? 'TCP') === 'TCP')?.port;
    if (port === undefined) continue;
    for (const { targetRef, conditions } of endpoints ?? []) {
      if (targetRef?.kind !== 'Pod' || targetRef.name === undefined || conditions?.ready === false) continue;
      const { name, namespace = metadata.namespace ?? 'default' } = targetRef;
      found.set(name, { namespace, name, port });
    }
  }
  return [...found.values()];
}
