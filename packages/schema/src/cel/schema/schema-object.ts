import { CelMap } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { DeclType } from './decl-type.ts';
import { escapeProperty, unescapeProperty } from './escape.ts';
import { deepEqual } from './preserved-value.ts';

/** How the members of a JSON object are to be read. */
export interface MemberTypes {
  /** A structure: names are escaped, and null members count as absent. Otherwise a map. */
  readonly structure: boolean;
  /** Type of a member by its JSON name; undefined if the schema says nothing about it. */
  memberType(property: string): DeclType | undefined;
}

type JsonObject = { readonly [property: string]: unknown };

/** A JSON object read through its schema, without copying it. */
export class SchemaObject extends CelMap {
  readonly raw: JsonObject;
  readonly #members: MemberTypes;

  constructor(raw: JsonObject, members: MemberTypes) {
    super();
    this.raw = raw;
    this.#members = members;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  get(key: CelValue): CelValue | undefined {
    return typeof key === 'string' ? this.field(key) : undefined;
  }

  /** The member of that name, undefined if it is absent. */
  field(name: string): CelValue | undefined {
    const property = this.#members.structure ? unescapeProperty(name) : name;
    if (property === undefined || !Object.hasOwn(this.raw, property)) return undefined;
    const value = this.raw[property];
    if (this.#members.structure && value === null) return undefined;
    return this.#members.memberType(property)?.toValue(value);
  }

  keys(): readonly CelValue[] {
    const declared = Object.keys(this.raw).filter((property) => this.#members.memberType(property) !== undefined);
    return this.#members.structure ? declared.map((property) => escapeProperty(property) ?? property) : declared;
  }

  /** What the schema says nothing about is compared as JSON; a member that the other lacks does not count. */
  override undeclaredEqual(other: CelMap): boolean {
    if (!(other instanceof SchemaObject)) return true;
    return Object.keys(this.raw).every(
      (property) =>
        this.#members.memberType(property) !== undefined ||
        !Object.hasOwn(other.raw, property) ||
        deepEqual(this.raw[property], other.raw[property]),
    );
  }
}
