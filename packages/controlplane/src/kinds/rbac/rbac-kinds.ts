import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from '../generated/drafts.ts';

const group = 'rbac.authorization.k8s.io/v1';

/** Kinds of the RBAC group. */
export const rbacKinds: readonly BuiltinKind[] = [
  builtinKind<ClusterRole>({
    resource: `${group}/clusterroles`,
    struct: 'rbacv1.ClusterRole',
    allowCreateOnUpdate: true,
  }),
  builtinKind<ClusterRoleBinding>({
    resource: `${group}/clusterrolebindings`,
    struct: 'rbacv1.ClusterRoleBinding',
    allowCreateOnUpdate: true,
  }),
  builtinKind<Role>({ resource: `${group}/roles`, struct: 'rbacv1.Role', allowCreateOnUpdate: true }),
  builtinKind<RoleBinding>({
    resource: `${group}/rolebindings`,
    struct: 'rbacv1.RoleBinding',
    allowCreateOnUpdate: true,
  }),
];
