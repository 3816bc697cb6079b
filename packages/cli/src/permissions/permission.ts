/** A rule of a role. */
export interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

/** A verb on a resource. */
export interface Permission {
  readonly group: string;
  /** Includes the subresource, if there is one. */
  readonly resource: string;
  readonly verb: string;
}

/** Expands rules into permissions; skips rules for non-resource URLs. */
export function permissionsOf(rules: readonly Rule[]): readonly Permission[] {
  return rules.flatMap(({ apiGroups = [], resources = [], verbs }) =>
    apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))),
  );
}

/** True if all parts are valid names: permissions from a log are written into a comment in the source code. */
export function isWritable({ group, resource, verb }: Permission): boolean {
  return /^[\w.*-]*$/.test(group) && /^[\w.*-]+(\/[\w.*-]+)?$/.test(resource) && /^[\w*-]+$/.test(verb);
}

/** True if any of the granted permissions covers the given one. */
export function allows(granted: readonly Permission[], { group, resource, verb }: Permission): boolean {
  const [plural = '', subresource] = resource.split('/');
  return granted.some(
    (each) =>
      is(each.group, group) &&
      is(each.verb, verb) &&
      (is(each.resource, resource) ||
        (subresource !== undefined && [`*/${subresource}`, `${plural}/*`].includes(each.resource))),
  );
}

function is(pattern: string, value: string): boolean {
  return pattern === '*' || pattern === value;
}
