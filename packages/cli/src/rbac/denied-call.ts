import type { Permission } from './permission.ts';
import { tagsOf } from './rbac-tags.ts';

/** A call that the authorizer has refused. */
export interface DeniedCall {
  /** Name of the account. */
  readonly user: string;
  readonly permission: Permission;
}

/** Reads what an API server says of a call that it refused; nothing where it is about no resource. */
export function deniedCall(message: string): DeniedCall | undefined {
  const [, user = '', verb, resource = '', group = ''] =
    // Only what can be in a name: it is offered as a comment to paste, and as YAML.
    /User "([\w:@.-]*)" cannot (\w+) resource "([\w./*-]*)" in API group "([\w.*-]*)"/.exec(message) ?? [];
  return verb === undefined ? undefined : { user, permission: { group, resource, verb } };
}

/**
 * The comment that grants an operator what it was denied, ready to be pasted above `runOperator`. Whoever watches a resource
 * lists it as well, and would be denied that next.
 */
export function grantingComment({ permission }: DeniedCall): string {
  const verbs = permission.verb === 'watch' ? ['list', 'watch'] : [permission.verb];
  return `/** ${tagsOf(verbs.map((verb) => ({ ...permission, verb }))).join(' ')} */`;
}
