import { ownerOf } from './rendezvous.ts';

/** A member's division of the keys, as published in its lease. */
export interface View {
  /** Members that share the keys. */
  readonly members: readonly string[];
  /** Keys that are assigned to other members but that this member is still reconciling. */
  readonly held: readonly string[];
}

/** A view that assigns its member no keys. */
export const nothing: View = { members: [], held: [] };

/** True if the view assigns the key to `member`, which may then start work on it. */
export function gives({ members }: View, key: string, member: string): boolean {
  return ownerOf(members, key) === member;
}

/** True if the view keeps other members from the key: `member` may work on it, or still does. */
export function claims(view: View, key: string, member: string): boolean {
  return gives(view, key, member) || view.held.includes(key);
}

/** True if both views are equal. */
export function sameView(a: View, b: View): boolean {
  return sameNames(a.members, b.members) && sameNames(a.held, b.held);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
