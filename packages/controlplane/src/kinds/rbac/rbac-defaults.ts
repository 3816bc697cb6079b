import type { RoleBinding, Subject } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

const group = 'rbac.authorization.k8s.io';

/** Defaults of the RBAC group: role references, and user and group subjects, get this API group if they have none. */
export const rbacDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<RoleBinding>('rbacv1.RoleBinding', defaultRoleRef),
  defaultsOf<RoleBinding>('rbacv1.ClusterRoleBinding', defaultRoleRef),
  defaultsOf<Subject>('rbacv1.Subject', (subject) => {
    if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= group;
  }),
];

function defaultRoleRef({ roleRef }: RoleBinding): void {
  roleRef.apiGroup ||= group;
}
