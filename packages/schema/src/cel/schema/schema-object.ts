import type { JsonObject } from '@kubewright/apimachinery/internal';
import type { Meter } from '../values/equality.ts';
import { CelMap } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { DeclType } from './decl-type.ts';
import { escapeProperty, unescapeProperty } from './escape.ts';
import { meteredEqual } from './preserved-value.ts';

/** Describes how to read the members of a JSON object. */
export interface MemberTypes {
  /** True for a structure: names are escaped, and null members count as absent. False for a map. */
  readonly structure: boolean;
  /** Returns the type of a member by its JSON name; undefined if the schema does not declare the member. */
  memberType(property: string): DeclType | undefined;
}

/** Describes how to read one member. Looked up once for each subexpression and reused for all objects. */
export interface MemberAccess {
  readonly property: string;
  readonly type: DeclType;
  /** True if JavaScript objects inherit a property with this name. */
  readonly inherited: boolean;
  readonly nullIsAbsent: boolean;
}

/** Returns the description of a member; undefined if the schema has no member with that name. */
export function accessTo(members: MemberTypes, name: string): MemberAccess | undefined {
  const property = members.structure ? unescapeProperty(name) : name;
  const type = property === undefined ? undefined : members.memberType(property);
  if (property === undefined || type === undefined) return undefined;
  return { property, type, inherited: property in Object.prototype, nullIsAbsent: members.structure };
}

/** A JSON object whose members are converted with a schema on access. */
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

  /** Returns the member; undefined if it is absent. */
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

  /** Compares the members that the schema does not declare, as JSON. Ignores members that the other object lacks. */
  override undeclaredEqual(other: CelMap, meter: Meter): boolean {
    if (!(other instanceof SchemaObject)) return true;
    return Object.keys(this.raw).every(
      (property) =>
        this.members.memberType(property) !== undefined ||
        !Object.hasOwn(other.raw, property) ||
        meteredEqual(this.raw[property], other.raw[property], meter),
    );
  }
}
