import type { Meter } from '../values/equality.ts';
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

/** How one member is read: looked up once per place in an expression, used for every object. */
export interface MemberAccess {
  readonly property: string;
  readonly type: DeclType;
  /** Every JavaScript object has something of that name. */
  readonly inherited: boolean;
  readonly nullIsAbsent: boolean;
}

/** How the member is read; undefined if the name can mean none. */
export function accessTo(members: MemberTypes, name: string): MemberAccess | undefined {
  const property = members.structure ? unescapeProperty(name) : name;
  const type = property === undefined ? undefined : members.memberType(property);
  if (property === undefined || type === undefined) return undefined;
  return { property, type, inherited: property in Object.prototype, nullIsAbsent: members.structure };
}

type JsonObject = { readonly [property: string]: unknown };

/** A JSON object read through its schema, without copying it. */
export class SchemaObject extends CelMap {
  readonly raw: JsonObject;
  readonly members: MemberTypes;

  constructor(raw: JsonObject, members: MemberTypes) {
    super();
    this.raw = raw;
    this.members = members;
  }

  get size(): number {
    return Object.keys(this.raw).length;
  }

  get(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return undefined;
    const access = accessTo(this.members, key);
    return access && this.read(access);
  }

  /** The member, undefined if it is absent. */
  read(access: MemberAccess): CelValue | undefined {
    if (access.inherited && !Object.hasOwn(this.raw, access.property)) return undefined;
    const value = this.raw[access.property];
    if (value === undefined || (value === null && access.nullIsAbsent)) return undefined;
    return access.type.toValue(value);
  }

  keys(): readonly CelValue[] {
    const declared = Object.keys(this.raw).filter((property) => this.members.memberType(property) !== undefined);
    return this.members.structure ? declared.map((property) => escapeProperty(property) ?? property) : declared;
  }

  /** What the schema says nothing about is compared as JSON; a member that the other lacks does not count. */
  override undeclaredEqual(other: CelMap, meter: Meter): boolean {
    if (!(other instanceof SchemaObject)) return true;
    return Object.keys(this.raw).every(
      (property) =>
        this.members.memberType(property) !== undefined ||
        !Object.hasOwn(other.raw, property) ||
        deepEqual(this.raw[property], other.raw[property], meter),
    );
  }
}
