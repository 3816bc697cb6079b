import { countMembers, equalNodes, type FieldNode, findNode, nothing, visitNode } from './field-node.ts';
import { FieldSetError, formatFieldsV1, parseFieldsV1 } from './fields-v1.ts';
import { differenceOf, intersectionOf, leavesOf, unionOf } from './node-operations.ts';
import { PathElement } from './path-element.ts';

interface MutableNode {
  member: boolean;
  readonly children: Map<PathElement, MutableNode>;
}

/**
 * A set of paths into objects: the fields that a manager owns. A path is a list of elements, such as `['f:spec', 'f:containers',
 * 'k:{"name":"web"}', 'f:image']`. Immutable. Results share structure with their operands, and an operation that changes nothing
 * returns its operand, so equal sets are often identical. A member does not include the paths below it: `f:spec` and `f:spec
 * f:replicas` are two members.
 *
 * Mirrors `structured-merge-diff/v6/fieldpath.Set`.
 */
export class FieldSet {
  /** The empty set. */
  // `new this`, because the class name is not bound yet in the compiled output
  static readonly empty: FieldSet = new this(nothing);

  readonly #root: FieldNode;

  private constructor(root: FieldNode) {
    this.#root = root;
  }

  /** Returns the set of the given paths. */
  static of(...paths: readonly (readonly PathElement[])[]): FieldSet {
    const builder = new FieldSetBuilder();
    for (const path of paths) builder.add(path);
    return builder.build();
  }

  /**
   * Parses the `fieldsV1` of a managed-fields entry. Drops elements of unknown types, as upstream does.
   *
   * @throws {@link FieldSetError} if the value is not an object of objects, or is nested too deeply.
   */
  static parse(fieldsV1: unknown): FieldSet {
    const root = parseFieldsV1(fieldsV1);
    return FieldSet.#wrap({ member: false, children: root.children });
  }

  /** Like {@link FieldSet.parse}, but returns undefined if the value is not a field set. */
  static tryParse(fieldsV1: unknown): FieldSet | undefined {
    try {
      return FieldSet.parse(fieldsV1);
    } catch (error) {
      if (error instanceof FieldSetError) return undefined;
      throw error;
    }
  }

  /** Returns the set of a builder's paths. The builder must not be used afterwards. */
  static fromBuilder(builder: FieldSetBuilder): FieldSet {
    return FieldSet.#wrap(builder.root);
  }

  static #wrap(root: FieldNode): FieldSet {
    return root.children.size === 0 ? FieldSet.empty : new FieldSet(root);
  }

  #with(root: FieldNode): FieldSet {
    return root === this.#root ? this : FieldSet.#wrap(root);
  }

  /** Returns the set as `fieldsV1`, with elements in upstream's order. */
  toFieldsV1(): Record<string, unknown> {
    return formatFieldsV1(this.#root);
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
    return findNode(this.#root, path)?.member === true;
  }

  /** True if the path or any path below it is a member. */
  hasWithin(path: readonly PathElement[]): boolean {
    return findNode(this.#root, path) !== undefined;
  }

  /** Returns the members below an element, as paths that start there; empty if nothing is below it. */
  child(element: PathElement): FieldSet {
    const node = this.#root.children.get(element);
    return node === undefined ? FieldSet.empty : FieldSet.#wrap({ member: false, children: node.children });
  }

  /** Iterates over the first elements of all members, in no particular order. */
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

  /** True if both sets have the same members. */
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

/** Collects paths, for example while walking an object; {@link build} then returns the set. */
export class FieldSetBuilder {
  readonly root: FieldNode;
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
