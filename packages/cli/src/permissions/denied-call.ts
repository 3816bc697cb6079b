import type { Permission } from './permission.ts';
import { tagsOf } from './rbac-tags.ts';

/** A request that the authorizer denied. */
export interface DeniedCall {
  /** Name of the account. */
  readonly user: string;
  readonly permission: Permission;
}

/** Parses the API server's message about a denied request; undefined if it does not concern a resource. */
export function deniedCall(message: string): DeniedCall | undefined {
  const [, user = '', verb, resource = '', group = ''] =
    // Matches only valid name characters, because the result is offered for pasting into a comment and YAML.
    /User "([\w:@.-]*)" cannot (\w+) resource "([\w./*-]*)" in API group "([\w.*-]*)"/.exec(message) ?? [];
  return verb === undefined ? undefined : { user, permission: { group, resource, verb } };
}

/**
 * Returns the comment that grants a denied permission, for pasting above `runOperator`. A watch also needs list, which
 * would be denied next.
 */
export function grantingComment({ permission }: DeniedCall): string {
  const verbs = permission.verb === 'watch' ? ['list', 'watch'] : [permission.verb];
  return `/** ${tagsOf(verbs.map((verb) => ({ ...permission, verb }))).join(' ')} */`;
}
