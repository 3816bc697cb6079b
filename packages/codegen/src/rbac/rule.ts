import type { Position } from '../problem.ts';

/** A permission of a program. */
export interface RbacRule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
  /** Restricts the rule to a namespace, in a Role. */
  readonly namespace?: string;
  /** @defaultValue the manager's role */
  readonly roleName?: string;
  /** The code that requires the rule; undefined for rules that every operator needs. */
  readonly from?: Position;
}

/** Creates a rule for one resource. */
export function ruleFor(kind: { readonly group: string; readonly plural: string }, ...verbs: string[]): RbacRule {
  return { groups: [kind.group], resources: [kind.plural], resourceNames: [], urls: [], verbs };
}

/** Creates a rule for a subresource. */
export function subresourceRule(
  kind: { readonly group: string; readonly plural: string },
  subresource: string,
  ...verbs: string[]
): RbacRule {
  return ruleFor({ group: kind.group, plural: `${kind.plural}/${subresource}` }, ...verbs);
}
