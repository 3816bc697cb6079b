import type { Crd } from '../crd/crd.ts';
import { formatYaml, formatYamlDocuments } from '../yaml/format-yaml.ts';
import { mergeRules } from './merge-rules.ts';
import type { RbacRule } from './rule.ts';

/** Names used in generated roles. */
export interface RoleOptions {
  readonly projectName: string;
  readonly namePrefix: string;
}

/**
 * Writes the manager's roles like controller-gen: one ClusterRole, and a Role for each namespace. Returns undefined if there
 * are no rules.
 */
export function managerRoles(rules: readonly RbacRule[], { namePrefix }: RoleOptions): string | undefined {
  const roles = new Map<string, RbacRule[]>();
  for (const rule of rules) {
    const key = JSON.stringify([rule.namespace ?? '', rule.roleName ?? `${namePrefix}manager-role`]);
    roles.set(key, [...(roles.get(key) ?? []), rule]);
  }
  if (roles.size === 0) return undefined;
  const documents = [...roles].sort(([a], [b]) => (a < b ? -1 : 1));
  return formatYamlDocuments(
    documents.map(([key, each]) => {
      const [namespace, name] = JSON.parse(key) as [string, string]; // built above
      return {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: namespace === '' ? 'ClusterRole' : 'Role',
        metadata: { name, ...(namespace !== '' && { namespace }) },
        rules: mergeRules(each).map(wireRule),
      };
    }),
  );
}

function wireRule({ groups, resources, resourceNames, urls, verbs }: RbacRule): object {
  return {
    ...(groups.length > 0 && { apiGroups: groups }),
    ...(resources.length > 0 && { resources }),
    ...(resourceNames.length > 0 && { resourceNames }),
    ...(urls.length > 0 && { nonResourceURLs: urls }),
    verbs,
  };
}

const LEVELS = {
  admin: { verbs: ['*'], words: 'do everything with' },
  editor: {
    verbs: ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'],
    words: 'create, change and delete',
  },
  viewer: { verbs: ['get', 'list', 'watch'], words: 'see' },
} as const;

/** Writes the three roles that administrators can grant to users of a kind, as kubebuilder scaffolds them. */
export function kindRoles(
  { spec }: Crd,
  { file, projectName, namePrefix }: RoleOptions & { readonly file: string },
): readonly { readonly path: string; readonly text: string }[] {
  const { group, names, versions } = spec;
  const hasStatus = versions.some(({ subresources }) => subresources?.status !== undefined);
  return (['admin', 'editor', 'viewer'] as const).map((level) => {
    const { verbs, words } = LEVELS[level];
    const rule = (resource: string, allowed: readonly string[]): object => ({
      apiGroups: [group],
      resources: [resource],
      verbs: allowed,
    });
    const role = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'kustomize', 'app.kubernetes.io/name': projectName },
        name: `${namePrefix}${file.replaceAll('_', '-')}-${level}-role`,
      },
      rules: [rule(names.plural, verbs), ...(hasStatus ? [rule(`${names.plural}/status`, ['get'])] : [])],
    };
    const head = [
      `# For users, not for the operator: who is bound to this role may ${words} ${names.plural} of ${group}.`,
      '# Made by kubewright from the types; changes are lost.',
    ];
    return { path: `config/rbac/${file}_${level}_role.yaml`, text: `${head.join('\n')}\n${formatYaml(role)}` };
  });
}
