import { apiVersionOf, type KubernetesObject } from '@kubewright/apimachinery';
import type { JsonObject, PathElement } from '@kubewright/apimachinery/internal';
import { ApplyConflictError } from '../apply/apply-conflict-error.ts';
import { type ApplyRequest, applyPatch } from '../apply/apply-patch.ts';
import { applyTypeOf } from '../apply/apply-type.ts';
import type { ManagedFieldsRecord } from '../apply/managers.ts';
import { entriesAfterScale, entriesOfScale } from '../apply/scale.ts';
import { trackUpdate } from '../apply/track-update.ts';
import { applyConflict } from '../http/failures.ts';
import type { ResourceDefinition, ScaleSubresource } from '../registry/index.ts';

const scaleType = applyTypeOf({
  type: 'object',
  properties: new Map([
    ['apiVersion', { type: 'string' }],
    ['kind', { type: 'string' }],
    ['spec', { type: 'object', properties: new Map([['replicas', { type: 'integer', format: 'int32' }]]) }],
  ]),
});

/** A change to an object's replicas through its scale. */
export interface ScaleWrite {
  readonly definition: ResourceDefinition;
  readonly scale: ScaleSubresource;
  readonly before: number;
  readonly after: number;
  readonly manager: string;
  /** A timestamp in the API's format. */
  readonly time: string;
  /** The Scale after a server-side apply to it; absent for other writes. */
  readonly applied?: unknown;
  /** True if an apply takes over fields that other managers own. */
  readonly force?: boolean | undefined;
}

/**
 * Returns the managed fields of an object whose replicas were written through its scale. The write is tracked on the Scale, then
 * mapped to the parent's replicas field.
 */
export function managedFieldsAfterScale(parent: KubernetesObject, write: ScaleWrite): readonly unknown[] {
  const { definition, scale, before, after, manager, time } = write;
  const entries = parent.metadata.managedFields ?? [];
  const apiVersion = apiVersionOf(definition);
  // `f:` and a field name form one path element.
  const elements = (path: readonly string[]) => path.map((field) => `f:${field}`) as readonly PathElement[];
  const others = Object.entries(scale.otherReplicasPaths ?? {}).map(([other, path]) => [other, elements(path)]);
  const paths = { ...Object.fromEntries(others), [apiVersion]: elements(scale.specReplicasPath) };
  const view = (replicas: number, managedFields: readonly unknown[]): Readonly<Record<string, unknown>> => ({
    metadata: { managedFields },
    spec: replicas === 0 ? {} : { replicas }, // a Scale omits zero replicas, so the field has no owner
  });
  const shown = entriesOfScale(entries, paths);
  const shared = { type: scaleType, apiVersion: 'autoscaling/v1', manager, subresource: 'scale', now: time } as const;
  // As for whole objects, only an apply starts to track the fields of a Scale without an owner.
  if (write.applied === undefined && shown.length === 0) return entries;
  const tracked =
    write.applied === undefined
      ? trackUpdate({ ...shared, live: view(before, shown), object: view(after, shown) })
      : configured(shared, { live: view(before, shown), replicas: after, force: write.force === true });
  // Like upstream, drop the time of the manager that gains ownership of the replicas.
  const timeless = tracked.map(({ time: _time, ...entry }) => entry);
  return entriesAfterScale(entries, timeless, { paths, apiVersion });
}

/**
 * Returns the managed fields after a server-side apply. Throws a conflict if another manager set a different number of replicas.
 */
function configured(
  shared: Pick<ApplyRequest, 'type' | 'apiVersion' | 'manager' | 'subresource' | 'now'>,
  { live, replicas, force }: { readonly live: JsonObject; readonly replicas: number; readonly force: boolean },
): readonly ManagedFieldsRecord[] {
  const type = { apiVersion: 'autoscaling/v1', kind: 'Scale' };
  const applied = { ...type, spec: { replicas } };
  try {
    return applyPatch({ ...shared, live: { ...type, ...live }, applied, force }).managedFields;
  } catch (error) {
    if (error instanceof ApplyConflictError) throw applyConflict(error.message, error.causes);
    throw error;
  }
}
