import { KubewrightError } from '../errors/kubewright-error.ts';
import { canonicalPathElement, comparePathElements, PathElement } from './path-element.ts';

/** Thrown for a `fieldsV1` that is not a field set. */
class FieldSetError extends KubewrightError {
  override readonly name = 'FieldSetError';
  readonly code = 'KW1020';
}

/** Deeper than any object that the API accepts. */
const maxDepth = 600;

interface Node {
  /** True if the path that ends here is a member, and not only paths below it. */
  readonly member: boolean;
  readonly children: ReadonlyMap<PathElement, Node>;
}

interface MutableNode {
  member: boolean;
  readonly children: Map<PathElement, MutableNode>;
}

const noChildren: ReadonlyMap<PathElement, Node> = new Map();
const leaf: Node = { member: true, children: noChildren };
const nothing: Node = { member: false, children: noChildren };

/**
 * A set of paths into objects: the fields that a manager owns. A path is a list of elements, such as `['f:spec', 'f:containers',
 * 'k:{"name":"web"}', 'f:image']`. Immutable. Results share structure with their operands, and an operation that changes nothing
 * returns its operand, so equality is often identity. Owning a path does not mean owning what is below it: `f:spec` and `f:spec
 * f:replicas` are two members.
 *
 * Mirrors `structured-merge-diff/v6/fieldpath.Set`.
 */
export class FieldSet {
  /** The empty set. */
  // `this`: the emitted alias of the class is not set yet when the class's name is used here
  static readonly empty: FieldSet = new this(nothing);

  readonly #root: Node;

  private constructor(root: Node) {
    this.#root = root;
  }

  /** Returns the set of the given paths. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.add(path);
    return builder.build();
  }

  /**
   * Parses the `fieldsV1` of a managed-fields entry. Elements of unknown types are dropped, as upstream does.
   *
   * @throws {@link FieldSetError} if it is not an object of objects, or is nested too deeply.
   */
  static parse(fieldsV1: unknown): FieldSet {
    const root = parseNode(fieldsV1, 0);
    return FieldSet.#wrap({ member: false, children: root.children });
  }

  /** Like {@link FieldSet.parse}, but returns undefined for what is not a field set. */
  static tryParse(fieldsV1: unknown): FieldSet | undefined {
    try {
      return FieldSet.parse(fieldsV1);
    } catch (error) {
      if (error instanceof FieldSetError) return undefined;
      throw error;
    }
  }

  /** Used by {@link FieldSetBuilder}; the root's children must not change afterwards. */
  static fromBuilder(builder: FieldSetBuilder): FieldSet {
    return FieldSet.#wrap(builder.root);
  }

  static #wrap(root: Node): FieldSet {
    return root.children.size === 0 ? FieldSet.empty : new FieldSet(root);
  }

  #with(root: Node): FieldSet {
    return root === this.#root ? this : FieldSet.#wrap(root);
  }

  /** Returns the set as `fieldsV1`, elements in upstream's order. */
  toFieldsV1(): Record<string, unknown> {
    return serializeNode(this.#root, false);
  }

  /** True if the set has no members. */
  get isEmpty(): boolean {
    return this.#root.children.size === 0;
  }

  /** Number of members. */
  get size(): number {
    return countMembers(this.#root);
  }

  /** True if the path itself is a member. */
  has(path: readonly PathElement[]): boolean {
    return find(this.#root, path)?.member === true;
  }

  /** True if the path or any path below it is a member. */
  hasWithin(path: readonly PathElement[]): boolean {
    return find(this.#root, path) !== undefined;
  }

  /** Returns the members below an element, as paths that start there; empty if nothing is below it. */
  child(element: PathElement): FieldSet {
    const node = this.#root.children.get(element);
    return node === undefined ? FieldSet.empty : FieldSet.#wrap({ member: false, children: node.children });
  }

  /** The first elements of all members, in no particular order. */
  elements(): Iterable<PathElement> {
    return this.#root.children.keys();
  }

  /** Returns this set with `element` prepended to every path. */
  withPrefix(element: PathElement): FieldSet {
    return this.isEmpty ? this : new FieldSet({ member: false, children: new Map([[element, this.#root]]) });
  }

  /** Returns this set with one more path. */
  with(path: readonly PathElement[]): FieldSet {
    return this.has(path) ? this : this.union(FieldSet.of(path));
  }

  /** Returns the members of either set. */
  union(other: FieldSet): FieldSet {
    return this.#with(unionOf(this.#root, other.#root));
  }

  /** Returns the members of both sets. */
  intersection(other: FieldSet): FieldSet {
    return this.#with(intersectionOf(this.#root, other.#root) ?? nothing);
  }

  /** Returns the members of this set that are not members of the other. */
  difference(other: FieldSet): FieldSet {
    return this.#with(differenceOf(this.#root, { other: other.#root, recursive: false }) ?? nothing);
  }

  /** Like {@link difference}, but a member of the other set also removes everything below it. */
  recursiveDifference(other: FieldSet): FieldSet {
    return this.#with(differenceOf(this.#root, { other: other.#root, recursive: true }) ?? nothing);
  }

  /** Returns the members that have no members below them. */
  leaves(): FieldSet {
    return this.#with(leavesOf(this.#root));
  }

  /** True if both have the same members. */
  equals(other: FieldSet): boolean {
    return equalNodes(this.#root, other.#root);
  }

  /** Calls `visit` with every member, in upstream's order. The array is reused: copy it to keep it. */
  forEach(visit: (path: readonly PathElement[]) => void): void {
    visitNode(this.#root, { path: [], visit });
  }

  /** Returns all members, in upstream's order. */
  paths(): readonly (readonly PathElement[])[] {
    const paths: (readonly PathElement[])[] = [];
    this.forEach((path) => {
      paths.push([...path]);
    });
    return paths;
  }

  /** Formats the set with one member per line, for tests and logs. */
  toString(): string {
    return this.paths().map(PathElement.formatPath).join('\n');
  }
}

/** Collects paths while an object is walked. Used once, then {@link build} returns the set. */
export class FieldSetBuilder {
  readonly root: Node;
  readonly #root: MutableNode = { member: false, children: new Map() };

  constructor() {
    this.root = this.#root;
  }

  /** Adds a path. The caller may change the array afterwards. */
  add(path: readonly PathElement[]): this {
    let node = this.#root;
    for (const element of path) {
      let next = node.children.get(element);
      if (next === undefined) {
        next = { member: false, children: new Map() };
        node.children.set(element, next);
      }
      node = next;
    }
    if (path.length > 0) node.member = true;
    return this;
  }

  /** Returns the set of all added paths; the builder must not be used afterwards. */
  build(): FieldSet {
    return FieldSet.fromBuilder(this);
  }
}

function parseNode(value: unknown, depth: number): Node {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new FieldSetError({ what: 'invalid managed fields', why: 'fieldsV1 must be an object of objects' });
  }
  if (depth > maxDepth)
    throw new FieldSetError({ what: 'invalid managed fields', why: `nested deeper than ${maxDepth} levels` });
  let member = false;
  let children: Map<PathElement, Node> | undefined;
  for (const [key, below] of Object.entries(value)) {
    if (key === '.') {
      member = true;
      continue;
    }
    const element = canonicalPathElement(key);
    if (element === undefined) {
      if (/^[kvi]:/.test(key))
        throw new FieldSetError({ what: 'invalid managed fields', why: `malformed path element ${key.slice(0, 100)}` });
      continue;
    }
    children ??= new Map();
    children.set(element, isEmptyObject(below) ? leaf : parseNode(below, depth + 1));
  }
  return children === undefined ? leaf : { member, children };
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

function serializeNode(node: Node, includeSelf: boolean): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  if (includeSelf && node.member && node.children.size > 0) out['.'] = {};
  for (const [element, child] of sortedChildren(node)) out[element] = serializeNode(child, true);
  return out;
}

function sortedChildren(node: Node): readonly (readonly [PathElement, Node])[] {
  const entries = [...node.children];
  for (let i = 1; i < entries.length; i++) {
    // Sets read from a server are already sorted.
    if (comparePathElements(entries[i - 1]?.[0] ?? '', entries[i]?.[0] ?? '') > 0) {
      return entries.sort(([a], [b]) => comparePathElements(a, b));
    }
  }
  return entries;
}

function find(root: Node, path: readonly PathElement[]): Node | undefined {
  let node: Node | undefined = root;
  for (const element of path) {
    node = node.children.get(element);
    if (node === undefined) return undefined;
  }
  return node;
}

function countMembers(node: Node): number {
  let count = node.member ? 1 : 0;
  for (const child of node.children.values()) count += countMembers(child);
  return count;
}

function unionOf(a: Node, b: Node): Node {
  if (a === b || b.children.size + Number(b.member) === 0) return a;
  if (a.children.size + Number(a.member) === 0) return b;
  let children: Map<PathElement, Node> | undefined;
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

function intersectionOf(a: Node, b: Node): Node | undefined {
  if (a === b) return a;
  const children = new Map<PathElement, Node>();
  let same = true;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    const both = right === undefined ? undefined : intersectionOf(left, right);
    if (both !== undefined) children.set(element, both);
    same &&= both === left;
  }
  return nodeOrNothing(a, { member: a.member && b.member, children, same });
}

interface DifferenceOptions {
  readonly other: Node;
  readonly recursive: boolean;
}

function differenceOf(a: Node, { other, recursive }: DifferenceOptions): Node | undefined {
  if (recursive && other.member) return undefined;
  const children = new Map<PathElement, Node>();
  let same = true;
  for (const [element, left] of a.children) {
    const right = other.children.get(element);
    const rest = right === undefined ? left : differenceOf(left, { other: right, recursive });
    if (rest !== undefined) children.set(element, rest);
    same &&= rest === left;
  }
  return nodeOrNothing(a, { member: a.member && !other.member, children, same });
}

/** Returns the old node if nothing changed, so that results share structure; nothing if no path is left. */
function nodeOrNothing(
  old: Node,
  parts: { readonly member: boolean; readonly children: ReadonlyMap<PathElement, Node>; readonly same: boolean },
): Node | undefined {
  const { member, children, same } = parts;
  if (same && member === old.member) return member || children.size > 0 ? old : undefined;
  if (children.size > 0) return { member, children };
  return member ? leaf : undefined;
}

function leavesOf(node: Node): Node {
  if (node.children.size === 0) return node;
  let children: Map<PathElement, Node> | undefined;
  for (const [element, child] of node.children) {
    const below = leavesOf(child);
    if (below === child) continue;
    children ??= new Map(node.children);
    children.set(element, below);
  }
  return children === undefined && !node.member ? node : { member: false, children: children ?? node.children };
}

function equalNodes(a: Node, b: Node): boolean {
  if (a === b) return true;
  if (a.member !== b.member || a.children.size !== b.children.size) return false;
  for (const [element, left] of a.children) {
    const right = b.children.get(element);
    if (right === undefined || !equalNodes(left, right)) return false;
  }
  return true;
}

function visitNode(
  node: Node,
  state: { readonly path: PathElement[]; readonly visit: (path: readonly PathElement[]) => void },
): void {
  if (node.member) state.visit(state.path);
  for (const [element, child] of sortedChildren(node)) {
    state.path.push(element);
    visitNode(child, state);
    state.path.pop();
  }
}
