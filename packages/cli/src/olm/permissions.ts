import type { UnstructuredObject } from '@kubewright/apimachinery';

interface Subject {
  readonly kind: string;
  readonly name: string;
}

/** The permissions of a service account, in the format of a CSV. */
interface Permission {
  readonly serviceAccountName: string;
  readonly rules: readonly object[];
}

/** Returns the permissions that bindings grant to service accounts; OLM creates the accounts, roles and bindings from them. */
export function permissionsOf(objects: readonly UnstructuredObject[]): {
  readonly clusterPermissions?: readonly Permission[];
  readonly permissions?: readonly Permission[];
} {
  const clusterPermissions = granted(objects, 'ClusterRoleBinding');
  const permissions = granted(objects, 'RoleBinding');
  return {
    ...(clusterPermissions.length > 0 && { clusterPermissions }),
    ...(permissions.length > 0 && { permissions }),
  };
}

/** True if OLM creates the object itself from a CSV's permissions. */
export function isPermission(object: UnstructuredObject, objects: readonly UnstructuredObject[]): boolean {
  if (object.kind === 'ServiceAccount' || /^(Cluster)?RoleBinding$/.test(object.kind)) return true;
  return bindingsIn(objects).some(({ role }) => role === object);
}

function granted(objects: readonly UnstructuredObject[], kind: string): readonly Permission[] {
  const rules = new Map<string, object[]>();
  for (const { binding, role } of bindingsIn(objects)) {
    // OLM provides the webhook certificates itself.
    if (binding.kind !== kind || binding.metadata?.name?.includes('webhook-certificates')) continue;
    for (const { name } of accountsOf(binding)) {
      rules.set(name, [...(rules.get(name) ?? []), ...(role['rules'] as readonly object[])]); // every role has rules
    }
  }
  return [...rules].map(([serviceAccountName, each]) => ({ serviceAccountName, rules: each }));
}

function bindingsIn(objects: readonly UnstructuredObject[]) {
  return objects
    .filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind))
    .flatMap((binding) => {
      const reference = binding['roleRef'] as { readonly kind: string; readonly name: string }; // every binding has a roleRef
      const role = objects.find(({ kind, metadata }) => kind === reference.kind && metadata?.name === reference.name);
      return role && accountsOf(binding).length > 0 ? [{ binding, role }] : [];
    });
}

function accountsOf(binding: UnstructuredObject): readonly Subject[] {
  return ((binding['subjects'] ?? []) as readonly Subject[]).filter(({ kind }) => kind === 'ServiceAccount');
}
