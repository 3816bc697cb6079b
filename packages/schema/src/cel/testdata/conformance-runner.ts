import { CelEnvironment } from '../environment.ts';
import { bindingsLibrary } from '../library/bindings.ts';
import { comprehensionsLibrary } from '../library/comprehensions.ts';
import { encodersLibrary } from '../library/encoders.ts';
import { overload, type Overload } from '../library/library.ts';
import { optionalsLibrary } from '../library/optionals.ts';
import { standardLibrary } from '../library/standard.ts';
import { currentStrings, stringsReverseLibrary } from '../library/strings.ts';
import { compileProgram } from '../program.ts';
import * as t from '../types/cel-type.ts';
import type { CelType } from '../types/cel-type.ts';
import { decodeBase64 } from '../values/base64.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { equals } from '../values/equality.ts';
import { intFromBigInt } from '../values/int.ts';
import { elements, isList } from '../values/list.ts';
import { CelMap, EntryMap } from '../values/map.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { CelTypeValue } from '../values/type-value.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';

/** The parts of cel-spec's test format that plain values need. */
export interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: Vector; readonly checkedAst?: string }[];
}

interface Vector {
  readonly name?: string;
  readonly expr: string;
  readonly value?: WireValue;
  readonly evalError?: unknown;
  readonly typedResult?: { readonly result?: WireValue; readonly deducedType?: WireType };
  readonly bindings?: Readonly<Record<string, { readonly value: WireValue }>>;
  readonly typeEnv?: readonly {
    readonly name: string;
    readonly ident?: { readonly type: WireType };
    readonly function?: { readonly overloads: readonly WireOverload[] };
  }[];
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly disableMacros?: boolean;
  readonly container?: string;
}

interface WireOverload {
  readonly params?: readonly WireType[];
  readonly resultType: WireType;
  readonly typeParams?: readonly string[];
  readonly isInstanceFunction?: boolean;
}

type WireValue = Readonly<Record<string, unknown>>;
type WireType = Readonly<Record<string, unknown>>;

export interface Outcome {
  readonly name: string;
  readonly kind: 'passed' | 'failed' | 'excluded';
  readonly detail: string;
}

/** Suites that are no part of the language on plain values, and why. */
const EXCLUDED_SUITES: ReadonlyMap<string, string> = new Map([
  ['block_ext', 'cel.block is inserted by an optimizer, never written'],
  ['enums', 'protobuf enums'],
  ['math_ext', 'Kubernetes has no math extension'],
  ['proto2', 'protobuf messages'],
  ['proto2_ext', 'protobuf extensions'],
  ['proto3', 'protobuf messages'],
  ['wrappers', 'protobuf wrapper types'],
]);

/** A vector belongs to protobuf if it makes or binds messages or names their types. */
const PROTOBUF = /TestAllTypes|google\.protobuf\.(?!Timestamp|Duration)|NestedEnum|GlobalEnum|messageType|objectValue|enumValue/;

export function runSuite(suite: Suite, path: string = suite.name): readonly Outcome[] {
  const here = (suite.tests ?? []).map((test) => runTest(test.original, path));
  return [...here, ...(suite.suites ?? []).flatMap((inner) => runSuite(inner, `${path}/${inner.name}`))];
}

function runTest(vector: Vector, path: string): Outcome {
  const name = `${path}/${vector.name ?? ''} ${vector.expr}`;
  const reason = EXCLUDED_SUITES.get(path.split('/', 1)[0]!) ?? exclusion(vector);
  if (reason !== undefined) return { name, kind: 'excluded', detail: reason };
  try {
    const detail = problem(vector);
    return { name, kind: detail === undefined ? 'passed' : 'failed', detail: detail ?? '' };
  } catch (error) {
    return { name, kind: 'failed', detail: String(error) };
  }
}

/** Single vectors that do not apply, and why. */
const EXCLUDED_VECTORS: ReadonlyMap<string, string> = new Map([
  ['indexof_out_of_range', 'since cel-go 0.26 an offset beyond the end finds nothing'],
  ['lastindexof_out_of_range', 'since cel-go 0.26 an offset beyond the end finds nothing'],
  ['null_assignable_to_abstract_parameter_candidate', 'cel-go deduces null as well: the vectors carry its answer'],
]);

function exclusion(vector: Vector): string | undefined {
  const reason = EXCLUDED_VECTORS.get(vector.name ?? '');
  if (reason !== undefined) return reason;
  if (vector.container === 'google.protobuf') return 'protobuf messages';
  if (PROTOBUF.test(JSON.stringify(vector))) return 'protobuf messages';
  return undefined;
}

/** What is wrong with the answer; undefined if nothing is. */
function problem(vector: Vector): string | undefined {
  let program: ReturnType<typeof compile>;
  try {
    program = compile(vector);
  } catch (error) {
    return vector.evalError === undefined ? `does not compile: ${error}` : undefined;
  }
  const type = vector.typedResult?.deducedType;
  if (type !== undefined && !t.sameType(program.resultType, typeFromWire(type))) {
    return `type ${t.formatType(program.resultType)}, expected ${t.formatType(typeFromWire(type))}`;
  }
  if (vector.checkOnly === true) return undefined;
  let result: CelValue;
  try {
    result = program.evaluate(bindings(vector));
  } catch (error) {
    return vector.evalError === undefined ? `does not evaluate: ${error}` : undefined;
  }
  if (vector.evalError !== undefined) return `expected an error, got ${show(result)}`;
  const expected = valueFromWire(vector.value ?? vector.typedResult?.result ?? { boolValue: true });
  return identical(result, expected) ? undefined : `got ${show(result)}, expected ${show(expected)}`;
}

function compile(vector: Vector): ReturnType<typeof compileProgram> {
  const functions: Overload[] = [];
  const variables = new Map<string, CelType>();
  for (const entry of vector.typeEnv ?? []) {
    if (entry.ident !== undefined) variables.set(entry.name, typeFromWire(entry.ident.type));
    for (const wire of entry.function?.overloads ?? []) {
      functions.push({
        ...overload('none() dyn', () => null),
        name: entry.name,
        member: wire.isInstanceFunction === true,
        params: (wire.params ?? []).map(typeFromWire),
        result: typeFromWire(wire.resultType),
        typeParams: wire.typeParams ?? [],
      });
    }
  }
  for (const name of Object.keys(vector.bindings ?? {})) {
    if (!variables.has(name)) variables.set(name, t.dynType);
  }
  const environment = new CelEnvironment({
    libraries: [
      standardLibrary,
      optionalsLibrary,
      bindingsLibrary,
      comprehensionsLibrary,
      currentStrings(),
      stringsReverseLibrary,
      encodersLibrary,
      { name: 'test', overloads: functions },
    ],
    optionalSyntax: true,
    escapedIdentifiers: true,
    ...(vector.container === undefined ? {} : { container: vector.container }),
  });
  return compileProgram(vector.expr, { environment, variables, unchecked: vector.disableCheck === true });
}

function bindings(vector: Vector): Record<string, CelValue> {
  return Object.fromEntries(
    Object.entries(vector.bindings ?? {}).map(([name, { value }]) => [name, valueFromWire(value)]),
  );
}

function valueFromWire(wire: WireValue): CelValue {
  const [kind, raw] = Object.entries(wire)[0]!;
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
      return raw as boolean;
    case 'stringValue':
      return raw as string;
    case 'int64Value':
      return intFromBigInt(BigInt(raw as string))!;
    case 'uint64Value':
      return new CelUint(BigInt(raw as string));
    case 'doubleValue':
      return new CelDouble(Number(raw));
    case 'bytesValue':
      return decodeBase64(raw as string)!;
    case 'typeValue':
      return new CelTypeValue(typeNamed(raw as string));
    case 'listValue':
      return ((raw as { values?: WireValue[] }).values ?? []).map(valueFromWire);
    case 'mapValue':
      return new EntryMap(
        ((raw as { entries?: { key: WireValue; value: WireValue }[] }).entries ?? []).map(
          ({ key, value }) => [valueFromWire(key), valueFromWire(value)] as const,
        ),
      );
    default:
      throw new TypeError(`no plain value: ${JSON.stringify(wire)}`);
  }
}

function typeNamed(name: string): CelType {
  return { kind: 'opaque', name, params: [] };
}

const PRIMITIVES: Readonly<Record<string, CelType>> = {
  BOOL: t.boolType,
  BYTES: t.bytesType,
  DOUBLE: t.doubleType,
  INT64: t.intType,
  STRING: t.stringType,
  UINT64: t.uintType,
  TIMESTAMP: t.timestampType,
  DURATION: t.durationType,
  ANY: t.anyType,
};

function typeFromWire(wire: WireType): CelType {
  const [kind, raw] = Object.entries(wire)[0]!;
  switch (kind) {
    case 'primitive':
    case 'wellKnown':
      return PRIMITIVES[raw as string]!;
    case 'null':
      return t.nullType;
    case 'dyn':
      return t.dynType;
    case 'typeParam':
      return t.paramOf(raw as string);
    case 'type':
      return t.typeOf(Object.keys(raw as WireType).length === 0 ? t.dynType : typeFromWire(raw as WireType));
    case 'listType':
      return t.listOf(typeFromWire((raw as { elemType: WireType }).elemType));
    case 'mapType': {
      const map = raw as { keyType: WireType; valueType: WireType };
      return t.mapOf(typeFromWire(map.keyType), typeFromWire(map.valueType));
    }
    case 'abstractType': {
      const abstract = raw as { name: string; parameterTypes?: WireType[] };
      return t.opaqueOf(abstract.name, ...(abstract.parameterTypes ?? []).map(typeFromWire));
    }
    default:
      throw new TypeError(`no plain type: ${JSON.stringify(wire)}`);
  }
}

/** Equal, and of the same types all the way down; NaN equals itself. */
function identical(a: CelValue, b: CelValue): boolean {
  if (a instanceof CelDouble && b instanceof CelDouble) return Object.is(a.value, b.value);
  if (isList(a) && isList(b)) {
    const [x, y] = [elements(a), elements(b)];
    return x.length === y.length && x.every((value, i) => identical(value, y[i]!));
  }
  if (a instanceof CelMap && b instanceof CelMap) {
    return a.size === b.size && a.keys().every((key) => identical(a.get(key)!, b.get(key) ?? null));
  }
  if (a instanceof CelTypeValue && b instanceof CelTypeValue) return a.name === b.name;
  return typeOfValue(a).kind === typeOfValue(b).kind && equals(a, b, { charge: () => {} });
}

function show(value: CelValue): string {
  if (isList(value)) return `[${elements(value).map(show).join(', ')}]`;
  if (value instanceof CelMap) return `{${value.keys().map((key) => `${show(key)}: ${show(value.get(key)!)}`).join(', ')}}`;
  if (value instanceof CelDouble) return `double ${value.value}`;
  if (value instanceof CelUint) return `uint ${value.value}`;
  if (value instanceof CelTypeValue) return `type ${value.name}`;
  if (value instanceof CelTimestamp || value instanceof CelDuration) return value.toString();
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}
