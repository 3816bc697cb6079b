import { type FieldNode, leaf } from './field-node.ts';
import type { PathElement } from './path-element.ts';

/** Returns the members of either tree. */
export function unionOf(a: FieldNode, b: FieldNode): FieldNode {
  if (a === b || b.children.size + Number(b.member) === 0) return a;
  if (a.children.size + Number(a.member) === 0) return b;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [element, right] of b.children) {
    const left = a.children.get(element);
    const both = left === undefined ? right : unionOf(left, right);
    if (both === left) continue;
    children ??= new Map(a.children);
    children.set(element, both);
  }
  const member = a.member || b.member;
  return children === undefined && member === a.member ? a : { member, children: children ?? a.children };
}

/** Returns the members of both trees; undefined if the result is empty. */
export function intersectionOf(a: FieldNode, b: FieldNode): FieldNode | undefined {
  if (a === b) return a;
  const children = new Map<PathElement, FieldNode>();
  let same = true;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    const both = right === undefined ? undefined : intersectionOf(left, right);
    if (both !== undefined) children.set(element, both);
    same &&= both === left;
  }
  return nodeOrNothing(a, { member: a.member && b.member, children, same });
}

/** Options for {@link differenceOf}. */
export interface DifferenceOptions {
  readonly other: FieldNode;
  readonly recursive: boolean;
}

/** Returns the members of the first tree that are not in the other; undefined if the result is empty. */
export function differenceOf(a: FieldNode, { other, recursive }: DifferenceOptions): FieldNode | undefined {
  if (recursive && other.member) return undefined;
  const children = new Map<PathElement, FieldNode>();
  let same = true;
  for (const [element, left] of a.children) {
    const right = other.children.get(element);
    const rest = right === undefined ? left : differenceOf(left, { other: right, recursive });
    if (rest !== undefined) children.set(element, rest);
    same &&= rest === left;
  }
  return nodeOrNothing(a, { member: a.member && !other.member, children, same });
}

/**
 * Returns a node with the given parts: the old node if they are unchanged, so that results share structure; undefined
 * if the node would contain no path.
 */
function nodeOrNothing(
  old: FieldNode,
  parts: { readonly member: boolean; readonly children: ReadonlyMap<PathElement, FieldNode>; readonly same: boolean },
): FieldNode | undefined {
  const { member, children, same } = parts;
  if (same && member === old.member) return member || children.size > 0 ? old : undefined;
  if (children.size > 0) return { member, children };
  return member ? leaf : undefined;
}

/** Returns the members that have no members below them. */
export function leavesOf(node: FieldNode): FieldNode {
  if (node.children.size === 0) return node;
  let children: Map<PathElement, FieldNode> | undefined;
  for (const [element, child] of node.children) {
    const below = leavesOf(child);
    if (below === child) continue;
    children ??= new Map(node.children);
    children.set(element, below);
  }
  return children === undefined && !node.member ? node : { member: false, children: children ?? node.children };
}
