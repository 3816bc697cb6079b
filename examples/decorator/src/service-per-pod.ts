import type { Stored } from '@kubewright/apimachinery';
import type { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Service } from '@kubewright/apimachinery/core/v1';
import type { DecorateRequest, DecorateResponse } from './sync-hook.ts';

/** Annotation that requests Services for a StatefulSet. Its value is the port of the Services. */
export const portAnnotation = 'service-per-pod.example.com/port';

/** Returns true for the StatefulSets to decorate. */
export function wantsServices({ metadata }: Stored<StatefulSet>): boolean {
  return metadata.annotations?.[portAnnotation] !== undefined;
}

/** Requests one Service for each pod of a StatefulSet, and an annotation with the number of Services. */
export function servicePerPod({ object }: DecorateRequest<StatefulSet>): DecorateResponse {
  const { metadata, spec } = object;
  const port = Number(metadata.annotations?.[portAnnotation]);
  const replicas = spec?.replicas ?? 1;
  return {
    annotations: { 'service-per-pod.example.com/services': String(replicas) },
    attachments: Array.from({ length: replicas }, (_, index) => serviceFor(`${metadata.name}-${index}`, port)),
  };
}

/** Requests no services once a StatefulSet is deleted or no longer selected, and is finalized when the services are deleted. */
export function removeServices({ attachments }: DecorateRequest<StatefulSet>): DecorateResponse {
  return { attachments: [], finalized: Object.keys(attachments['Service.v1'] ?? {}).length === 0 };
}

function serviceFor(pod: string, port: number): Service {
  const selector = { 'statefulset.kubernetes.io/pod-name': pod };
  return Service({ metadata: { name: pod }, spec: { selector, ports: [{ port }] } });
}
