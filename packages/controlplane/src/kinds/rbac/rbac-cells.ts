import { ageOf } from '@kubewright/apiserver/internal';
import type { Role, RoleBinding, Subject } from '../generated/drafts.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const group = 'rbac.authorization.k8s.io/v1';

/** Table rows of the RBAC group. */
export const rbacCells: readonly CellsEntry[] = [
  ...['roles', 'clusterroles'].map((resource) =>
    cellsOf<Role>(`${group}/${resource}`, ({ metadata }) => [metadata.name, metadata.creationTimestamp ?? null]),
  ),
  ...['rolebindings', 'clusterrolebindings'].map((resource) =>
    cellsOf<RoleBinding>(`${group}/${resource}`, ({ metadata, roleRef, subjects }, nowMs) => [
      metadata.name,
      `${roleRef.kind}/${roleRef.name}`,
      ageOf(metadata.creationTimestamp, nowMs),
      namesOf(subjects, 'User'),
      namesOf(subjects, 'Group'),
      namesOf(subjects, 'ServiceAccount'),
    ]),
  ),
];

function namesOf(subjects: readonly Subject[] | undefined, wanted: string): string {
  const chosen = (subjects ?? []).filter(({ kind }) => kind === wanted);
  return chosen
    .map(({ name, namespace }) => (wanted === 'ServiceAccount' ? `${namespace ?? ''}/${name}` : name))
    .join(', ');
}
