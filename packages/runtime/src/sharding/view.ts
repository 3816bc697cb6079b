import { ownerOf } from './rendezvous.ts';

/** How a member divides the keys: what its lease says. */
export interface View {
  /** Members among which the keys are divided. */
  readonly members: readonly string[];
  /** Keys that the division gives to others, but on which the member's reconciles have not ended yet. */
  readonly held: readonly string[];
}

/** A view that gives its member nothing. */
export const nothing: View = { members: [], held: [] };

/** True if the division gives the key to `member`, which may begin to work on it then. */
export function gives({ members }: View, key: string, member: string): boolean {
  return ownerOf(members, key) === member;
}

/** True if a member with this view keeps the others from the key: it may work on it, or still does. */
export function claims(view: View, key: string, member: string): boolean {
  return gives(view, key, member) || view.held.includes(key);
}

/** True if both say the same. */
export function sameView(a: View, b: View): boolean {
  return sameNames(a.members, b.members) && sameNames(a.held, b.held);
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, index) => each === b[index]);
}
