import type { CelType } from '../types/cel-type.ts';
import * as t from '../types/cel-type.ts';

/** A parsed signature. */
export interface Signature {
  readonly name: string;
  readonly member: boolean;
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly typeParams: readonly string[];
}

const simpleTypes: ReadonlyMap<string, CelType> = new Map([
  ['bool', t.boolType],
  ['bytes', t.bytesType],
  ['double', t.doubleType],
  ['duration', t.durationType],
  ['dyn', t.dynType],
  ['int', t.intType],
  ['null', t.nullType],
  ['string', t.stringType],
  ['timestamp', t.timestampType],
  ['uint', t.uintType],
]);

/**
 * Parses the signature of a function (`size(string) int`), of a method (`list(A).indexOf(A) int`), or of a function whose
 * name contains dots (`::optional.of(V) optional(V)`).
 */
export function parseSignature(text: string): Signature {
  const namespaced = text.startsWith('::');
  const close = argumentsEnd(text);
  const open = groupStart(text, close);
  const head = text.slice(namespaced ? 2 : 0, open);
  const dot = namespaced ? -1 : receiverEnd(head);
  const params = dot < 0 ? [] : [new Reader(head.slice(0, dot), 0).type()];
  params.push(...new Reader(text, open).types());
  const result = new Reader(text, close + 1).type();
  const typeParams = [...new Set([...params, result].flatMap(parameters))];
  return { name: head.slice(dot + 1), member: dot >= 0, params, result, typeParams };
}

/** Finds the parenthesis that closes the argument list: the one at depth zero that is followed by a space. */
function argumentsEnd(text: string): number {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    if (text[i] === ')' && --depth === 0 && text[i + 1] === ' ') return i;
  }
  throw new TypeError(`invalid signature "${text}": expected name(type, type) type`);
}

function groupStart(text: string, close: number): number {
  let depth = 0;
  for (let i = close; i >= 0; i--) {
    if (text[i] === ')') depth++;
    if (text[i] === '(' && --depth === 0) return i;
  }
  return 0;
}

/** Finds the dot between the receiver's type and the method's name. */
function receiverEnd(head: string): number {
  let depth = 0;
  for (let i = head.length - 1; i >= 0; i--) {
    if (head[i] === ')') depth++;
    if (head[i] === '(') depth--;
    if (head[i] === '.' && depth === 0) return i;
  }
  return -1;
}

function parameters(type: CelType): readonly string[] {
  return type.kind === 'param' ? [type.name] : type.params.flatMap(parameters);
}

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
  }

  /** Parses a type with its parameters. */
  type(): CelType {
    const name = /[\s,]*([\w.]+)/y;
    name.lastIndex = this.#at;
    const match = name.exec(this.#text);
    if (match === null) throw new TypeError(`invalid signature "${this.#text}": missing type at offset ${this.#at}`);
    this.#at = name.lastIndex;
    const params = this.#text[this.#at] === '(' ? this.types() : [];
    return make(match[1]!, params);
  }

  types(): CelType[] {
    const types: CelType[] = [];
    this.#at++;
    while (this.#text[this.#at] !== ')') types.push(this.type());
    this.#at++;
    return types;
  }
}

function make(name: string, params: readonly CelType[]): CelType {
  const simple = simpleTypes.get(name);
  if (simple !== undefined) return simple;
  if (name === 'list') return t.listOf(params[0]!);
  if (name === 'map') return t.mapOf(params[0]!, params[1]!);
  if (name === 'optional') return t.optionalOf(params[0]!);
  if (name === 'type') return t.typeOf(params[0]!);
  return /^[A-Z]$/.test(name) ? t.paramOf(name) : t.opaqueOf(name, ...params);
}
