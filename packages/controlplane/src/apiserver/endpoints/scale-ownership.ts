import { apiVersionOf, applyConflict, type FieldPathElements, type KubernetesObject } from '@kubewright/apimachinery';
import {
  ApplyConflictError,
  type ApplyRequest,
  applyPatch,
  applyTypeOf,
  entriesAfterScale,
  entriesOfScale,
  type ManagedFieldsEntry,
  trackUpdate,
} from '@kubewright/schema';
import type { ResourceDefinition, ScaleSubresource } from '../registry/index.ts';

type Plain = Readonly<Record<string, unknown>>;

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
  /** The Scale as it is after a configuration was applied to it; absent for other writes. */
  readonly applied?: unknown;
  /** Whether an apply takes over what others own. */
  readonly force?: boolean | undefined;
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
  const elements = (path: readonly string[]) => path.map((field) => `f:${field}`) as FieldPathElements;
  const others = Object.entries(scale.otherReplicasPaths ?? {}).map(([other, path]) => [other, elements(path)]);
  const paths = { ...Object.fromEntries(others), [apiVersion]: elements(scale.specReplicasPath) };
  const view = (replicas: number, managedFields: readonly unknown[]): Readonly<Record<string, unknown>> => ({
    metadata: { managedFields },
    spec: { replicas },
  });
  const shown = entriesOfScale(entries, paths);
  const shared = { type: SCALE, apiVersion: 'autoscaling/v1', manager, subresource: 'scale', now: time } as const;
  const live = shown.length === 0 ? undefined : view(before, shown);
  const tracked =
    write.applied === undefined
      ? trackUpdate({ ...shared, live, object: view(after, shown) })
      : configured(shared, { live: view(before, shown), replicas: after, force: write.force === true });
  // Upstream forgets the time of whoever wins the replicas here.
  const timeless = tracked.map(({ time: _time, ...entry }) => entry);
  return entriesAfterScale(entries, timeless, { paths, apiVersion });
}

/** The entries after an apply; refused when another manager owns other replicas. */
function configured(
  shared: Pick<ApplyRequest, 'type' | 'apiVersion' | 'manager' | 'subresource' | 'now'>,
  { live, replicas, force }: { readonly live: Plain; readonly replicas: number; readonly force: boolean },
): readonly ManagedFieldsEntry[] {
  const type = { apiVersion: 'autoscaling/v1', kind: 'Scale' };
  const applied = { ...type, spec: { replicas } };
  try {
    return applyPatch({ ...shared, live: { ...type, ...live }, applied, force }).managedFields;
  } catch (error) {
    if (error instanceof ApplyConflictError) throw applyConflict(error.message, error.causes);
    throw error;
  }
}
