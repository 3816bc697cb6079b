import { comparePathElements, type PathElement } from './path-element.ts';

/** A node in the tree of a field set's paths. */
export interface FieldNode {
  /** True if the path that ends here is a member of the set; false if only paths below it are members. */
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, FieldNode>;
}

const noChildren: ReadonlyMap<PathElement, FieldNode> = new Map();

/** A member without children. */
export const leaf: FieldNode = { member: true, children: noChildren };

/** The tree without members. */
export const nothing: FieldNode = { member: false, children: noChildren };

/** Returns the children in upstream's order. */
export function sortedChildren(node: FieldNode): readonly (readonly [PathElement, FieldNode])[] {
  const entries = [...node.children];
  for (let i = 1; i < entries.length; i++) {
    // Sorts only if needed: sets read from a server are already sorted.
    if (comparePathElements(entries[i - 1]?.[0] ?? '', entries[i]?.[0] ?? '') > 0) {
      return entries.sort(([a], [b]) => comparePathElements(a, b));
    }
  }
  return entries;
}

/** Returns the node at a path, or undefined. */
export function findNode(root: FieldNode, path: readonly PathElement[]): FieldNode | undefined {
  let node: FieldNode | undefined = root;
  for (const element of path) {
    node = node.children.get(element);
    if (node === undefined) return undefined;
  }
  return node;
}

/** Counts the members of a tree. */
export function countMembers(node: FieldNode): number {
  let count = node.member ? 1 : 0;
  for (const child of node.children.values()) count += countMembers(child);
  return count;
}

/** True if both trees have the same members. */
export function equalNodes(a: FieldNode, b: FieldNode): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    if (right === undefined || !equalNodes(left, right)) return false;
  }
  return true;
}

/** Calls `visit` with every member, in upstream's order. */
export function visitNode(
  node: FieldNode,
  state: { readonly path: PathElement[]; readonly visit: (path: readonly PathElement[]) => void },
): void {
  if (node.member) state.visit(state.path);
  for (const [element, child] of sortedChildren(node)) {
    state.path.push(element);
    visitNode(child, state);
    state.path.pop();
  }
}
