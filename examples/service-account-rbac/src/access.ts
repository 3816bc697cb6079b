import type { Stored } from '@kubewright/apimachinery';
import type { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { type PolicyRule, Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';

/** The namespace that developers share; it must exist already. */
export const sharedNamespace = 'namespace-dev';

/** Permissions of a service account in the shared namespace. */
export type Access = 'full' | 'list-only';

const rules: Readonly<Record<Access, PolicyRule>> = {
  full: { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
  'list-only': { apiGroups: ['*'], resources: ['*'], verbs: ['list'] },
};

/** Returns true for the service accounts of developers. */
export function isDeveloper(name: string): boolean {
  return name.endsWith('-dev');
}

/** Returns the role and the binding that give a service account its access. */
export function accessFor(
  { metadata: { name, namespace } }: Stored<ServiceAccount>,
  access: Access,
): readonly [Role, RoleBinding] {
  const labels = { 'app.kubernetes.io/managed-by': 'service-account-rbac' };
  const role = Role({ metadata: { name: `${name}-r`, namespace: sharedNamespace, labels }, rules: [rules[access]] });
  const binding = RoleBinding({
    metadata: { name: `${name}-rb`, namespace: sharedNamespace, labels },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: `${name}-r` },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  });
  return [role, binding];
}
