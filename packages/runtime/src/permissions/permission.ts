import type { PolicyRule } from '@kubewright/apimachinery/rbac/v1';

/** A single RBAC permission: a verb on a resource of a group. */
export interface Permission {
  /** Empty for the core group. */
  readonly group: string;
  /** Plural, with the subresource if any: `pods/status`. */
  readonly resource: string;
  readonly verb: string;
}

/** Formats a permission for `kubectl auth can-i`: `patch postgresqls.database.db.example.com/status`. */
export function formatPermission({ group, resource, verb }: Permission): string {
  const [plural, subresource] = resource.split('/');
  return `${verb} ${plural}${group === '' ? '' : `.${group}`}${subresource ? `/${subresource}` : ''}`;
}

/** Merges permissions into rules: one per group and set of verbs, in alphabetical order, as in generated roles. */
export function toRules(permissions: readonly Permission[]): readonly PolicyRule[] {
  const resources = new Map<
    string,
    { readonly group: string; readonly resource: string; readonly verbs: Set<string> }
  >();
  for (const { group, resource, verb } of permissions) {
    const id = `${group}\n${resource}`;
    const known = resources.get(id) ?? { group, resource, verbs: new Set<string>() };
    known.verbs.add(verb);
    resources.set(id, known);
  }
  const rules = new Map<string, { apiGroups: string[]; resources: string[]; verbs: string[] }>();
  for (const [, { group, resource, verbs }] of [...resources].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const sorted = [...verbs].sort();
    const id = `${group}\n${sorted.join()}`;
    const rule = rules.get(id);
    if (rule) rule.resources.push(resource);
    else rules.set(id, { apiGroups: [group], resources: [resource], verbs: sorted });
  }
  return [...rules.values()];
}

/** Expands rules into permissions; `*` stays `*`. Rules for non-resource URLs are skipped. */
export function toPermissions(rules: readonly PolicyRule[]): readonly Permission[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))),
  );
}

/** Reports whether one permission includes another. */
export function includes(wide: Permission, narrow: Permission): boolean {
  const matches = (pattern: string, value: string): boolean => pattern === '*' || pattern === value;
  const [plural, subresource] = narrow.resource.split('/');
  const resource =
    matches(wide.resource, narrow.resource) ||
    (subresource !== undefined && (wide.resource === `*/${subresource}` || wide.resource === `${plural}/*`));
  return matches(wide.group, narrow.group) && matches(wide.verb, narrow.verb) && resource;
}
