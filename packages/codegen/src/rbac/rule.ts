import type { Position } from '../problem.ts';

/** What a program may do. */
export interface RbacRule {
  readonly groups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly urls: readonly string[];
  readonly verbs: readonly string[];
  /** In this namespace only: goes into a Role. */
  readonly namespace?: string;
  /** @defaultValue the manager's role */
  readonly roleName?: string;
  /** The code that asks for it; a rule that every operator needs has none. */
  readonly from?: Position;
}

/** A rule for one resource. */
export function ruleFor(kind: { readonly group: string; readonly plural: string }, ...verbs: string[]): RbacRule {
  return { groups: [kind.group], resources: [kind.plural], resourceNames: [], urls: [], verbs };
}

/** A rule for a subresource. */
export function subresourceRule(
  kind: { readonly group: string; readonly plural: string },
  subresource: string,
  ...verbs: string[]
): RbacRule {
  return ruleFor({ group: kind.group, plural: `${kind.plural}/${subresource}` }, ...verbs);
}
