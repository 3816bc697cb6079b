import { type KubernetesObject, type Stored, setControllerReference } from '@kubewright/apimachinery';
import { ControllerRevision } from '@kubewright/apimachinery/apps/v1';
import type { PodTemplateSpec } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { canonicalJson } from './template-hash.ts';

/** An object whose pod templates are kept as revisions. */
export interface RevisedOwner extends KubernetesObject {
  readonly spec?: { readonly template: PodTemplateSpec };
}

/** Returns the revision data for an owner's current template: a strategic merge patch that restores the template on rollback. */
export function revisionData({ spec }: RevisedOwner): Readonly<Record<string, unknown>> {
  return { spec: { template: { ...spec?.template, $patch: 'replace' } } };
}

/** True if two revisions have the same data. */
export function isSameRevision(a: ControllerRevision, b: Pick<ControllerRevision, 'data'>): boolean {
  return canonicalJson(a.data) === canonicalJson(b.data);
}

/** Builds a revision of an owner's current template, with its hash in a label. */
export function newRevision(
  owner: RevisedOwner,
  {
    hash,
    hashLabel,
    revision,
  }: { readonly hash: string; readonly hashLabel: string; readonly revision: number | bigint },
): ControllerRevision {
  const { name = '', namespace = '', annotations } = owner.metadata;
  const labels = { ...owner.spec?.template.metadata?.labels, [hashLabel]: hash };
  const object = ControllerRevision({
    metadata: { name: `${name}-${hash}`, namespace, labels, ...defined({ annotations }) },
    data: revisionData(owner),
    revision,
  });
  return setControllerReference(object, owner);
}

/** Orders revisions by number, then by age, oldest first. */
export function byRevision(a: Stored<ControllerRevision>, b: Stored<ControllerRevision>): number {
  // Revisions beyond 2^53 are bigints, which can be compared with numbers but not subtracted from them.
  if (a.revision !== b.revision) return a.revision < b.revision ? -1 : 1;
  return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;
}

/** Returns the number of the next revision. Revisions are 64-bit integers, so numbers beyond 2^53 are bigints. */
export function nextRevision(newest: ControllerRevision | undefined): number | bigint {
  const next = BigInt(newest?.revision ?? 0) + 1n;
  const number = Number(next);
  return Number.isSafeInteger(number) ? number : next;
}
