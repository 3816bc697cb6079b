import { apiVersionOf, type FieldPathElements, type KubernetesObject } from '@kubewright/apimachinery';
import { applyTypeOf, entriesAfterScale, entriesOfScale, trackUpdate } from '@kubewright/schema';
import type { ResourceDefinition, ScaleSubresource } from '../registry/index.ts';

const SCALE = applyTypeOf({
  type: 'object',
  properties: new Map([
    ['apiVersion', { type: 'string' }],
    ['kind', { type: 'string' }],
    ['spec', { type: 'object', properties: new Map([['replicas', { type: 'integer', format: 'int32' }]]) }],
  ]),
});

/** A write of replicas through a scale. */
export interface ScaleWrite {
  readonly definition: ResourceDefinition;
  readonly scale: ScaleSubresource;
  readonly before: number;
  readonly after: number;
  readonly manager: string;
  /** Formatted as the API writes times. */
  readonly time: string;
}

/**
 * The managed fields of an object whose replicas were written through its scale: the write is tracked on the Scale, then
 * carried over to the field where the parent keeps its replicas.
 */
export function managedFieldsAfterScale(parent: KubernetesObject, write: ScaleWrite): readonly unknown[] {
  const { definition, scale, before, after, manager, time } = write;
  const entries = parent.metadata.managedFields ?? [];
  const apiVersion = apiVersionOf(definition);
  // A field's name is one step of a path.
  const paths = { [apiVersion]: scale.specReplicasPath.map((field) => `f:${field}`) as FieldPathElements };
  const view = (replicas: number, managedFields: readonly unknown[]): Readonly<Record<string, unknown>> => ({
    metadata: { managedFields },
    spec: { replicas },
  });
  const shown = entriesOfScale(entries, paths);
  const tracked = trackUpdate({
    type: SCALE,
    apiVersion: 'autoscaling/v1',
    live: shown.length === 0 ? undefined : view(before, shown),
    object: view(after, shown),
    manager,
    subresource: 'scale',
    now: time,
  });
  // Upstream forgets the time of whoever wins the replicas here.
  const timeless = tracked.map(({ time: _time, ...entry }) => entry);
  return entriesAfterScale(entries, timeless, { paths, apiVersion });
}
