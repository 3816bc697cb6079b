import { ownerOf } from './rendezvous.ts';

/** A member's division of the keys, as published in its lease. */
export interface View {
  /** Members that share the keys. */
  readonly members: readonly string[];
  /** Keys that are assigned to other members but that this member is still reconciling. */
  readonly held: readonly string[];
}

/** A view that assigns no keys to its member. */
export const nothing: View = { members: [], held: [] };

/** Reports whether the view assigns the key to `member`, which may then start work on the key. */
export function gives({ members }: View, key: string, member: string): boolean {
  return ownerOf(members, key) === member;
}

/**
 * Reports whether the view keeps other members from the key, because `member` may work on it or is still working on it.
 */
export function claims(view: View, key: string, member: string): boolean {
  return gives(view, key, member) || view.held.includes(key);
}

/** Reports whether both views are equal. */
export function sameView(a: View, b: View): boolean {
  return sameNames(a.members, b.members) && sameNames(a.held, b.held);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
