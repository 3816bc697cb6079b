import { type ErrorText, KubewrightError } from '../errors/kubewright-error.ts';

/** Kind of failure of a JSON patch. */
export type JsonPatchFault = 'malformed' | 'tooLarge' | 'failed';

/**
 * Thrown for a JSON patch that cannot be applied.
 *
 * @example
 * ```ts
 * try {
 *   applyJsonPatch({ replicas: 1 }, [{ op: 'test', path: '/replicas', value: 2 }]);
 * } catch (error) {
 *   if (error instanceof JsonPatchError && error.kind === 'failed') console.error('the object has changed');
 *   else throw error;
 * }
 * ```
 */
export class JsonPatchError extends KubewrightError {
  override readonly name = 'JsonPatchError';
  readonly code = 'KW1050';
  /** `malformed` → 400, `tooLarge` → 413, `failed` → 422. */
  readonly kind: JsonPatchFault;

  constructor(text: ErrorText, options: { readonly kind?: JsonPatchFault } = {}) {
    super(text);
    this.kind = options.kind ?? 'failed';
  }
}

/** A document that a patch changes. Containers in `owned` were created by the patch, so they may be changed in place. */
export interface Target {
  document: unknown;
  readonly owned: WeakSet<object>;
}

/** An object or a list. */
export type Container = Record<string, unknown>;

/** True for objects and lists. */
export function isContainer(value: unknown): value is Container {
  return typeof value === 'object' && value !== null;
}

interface Place {
  readonly path: string;
  /** Name of the operation, for messages. */
  readonly operation: string;
}

/** Returns the value at a pointer; `missing: 'null'` returns null for a missing field. */
export function valueAt(document: unknown, place: Place & { readonly missing?: 'null' }): unknown {
  if (place.path === '') return document;
  const { parents, key } = tokensOf(place);
  let container: unknown = document;
  for (const token of parents) container = isContainer(container) ? child(container, token) : undefined;
  if (!isContainer(container)) throw missingPath(place);
  if (Array.isArray(container)) return container[indexIn({ key, place, end: container.length - 1 })];
  if (Object.hasOwn(container, key) || place.missing === 'null') return child(container, key);
  throw missingPath(place);
}

/** Writes a value at a pointer: inserts or replaces in a list, sets in an object. */
export function writeAt(target: Target, place: Place & { readonly value: unknown; readonly insert: boolean }): void {
  const { path, value, insert } = place;
  if (path === '') {
    if (!isContainer(value)) {
      throw new JsonPatchError({ what: `${place.operation} operation value must be object or array` });
    }
    target.document = value;
    return;
  }
  const { container, key } = ownedParent(target, place);
  if (!Array.isArray(container)) {
    setOwn(container, { key, value });
  } else if (!insert) {
    container[indexIn({ key, place, end: container.length - 1 })] = value;
  } else if (key === '-') container.push(value);
  else container.splice(indexIn({ key, place, end: container.length }), 0, value);
}

/** Removes the value at a pointer. */
export function removeAt(target: Target, place: Place): void {
  if (place.path === '') throw missingPath(place);
  const { container, key } = ownedParent(target, place);
  if (Array.isArray(container)) {
    container.splice(indexIn({ key, place, end: container.length - 1 }), 1);
  } else if (Object.hasOwn(container, key)) delete container[key];
  else {
    throw new JsonPatchError({
      what: `error in ${place.operation} for path: '${place.path}': Unable to remove nonexistent key: ${key}: missing value`,
    });
  }
}

/** Sets a field of any name as plain data; an assignment would run the setter of `__proto__`. */
export function setOwn(container: Container, field: { readonly key: string; readonly value: unknown }): void {
  if (field.key === '__proto__') {
    Object.defineProperty(container, field.key, {
      value: field.value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  } else container[field.key] = field.value;
}

/** Returns a shallow copy that keeps a field named `__proto__` as a field. */
function copyContainer(container: Container): Container {
  if (Array.isArray(container)) return container.slice() as unknown as Container;
  const copy: Container = {};
  for (const key of Object.keys(container)) setOwn(copy, { key, value: container[key] });
  return copy;
}

function ownedParent(target: Target, place: Place): { readonly container: Container; readonly key: string } {
  const { parents, key } = tokensOf(place);
  if (!isContainer(target.document)) throw missingPath(place);
  let container = own(target, target.document);
  target.document = container;
  for (const token of parents) {
    const next = child(container, token);
    if (!isContainer(next)) throw missingPath(place);
    const owned = own(target, next);
    if (owned !== next) {
      if (Array.isArray(container)) container[indexIn({ key: token, place, end: container.length - 1 })] = owned;
      else setOwn(container, { key: token, value: owned });
    }
    container = owned;
  }
  return { container, key };
}

function own(target: Target, container: Container): Container {
  if (target.owned.has(container)) return container;
  const copy = copyContainer(container);
  target.owned.add(copy);
  return copy;
}

/** Reads own fields only, so `/constructor/prototype` is a missing path. */
function child(container: Container, token: string): unknown {
  if (Array.isArray(container)) {
    const index = integer(token);
    if (index === undefined) return undefined;
    return container[index < 0 ? index + container.length : index];
  }
  return Object.hasOwn(container, token) ? container[token] : undefined;
}

function tokensOf(place: Place): { readonly parents: readonly string[]; readonly key: string } {
  const parts = place.path.split('/');
  if (parts.length < 2) throw missingPath(place);
  const tokens = parts.slice(1).map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return { parents: tokens.slice(0, -1), key: tokens[tokens.length - 1] ?? '' };
}

interface IndexOptions {
  readonly key: string;
  readonly place: Place;
  /** Last index allowed. */
  readonly end: number;
}

function indexIn({ key, place, end }: IndexOptions): number {
  const { path, operation } = place;
  const index = integer(key);
  if (index === undefined) {
    throw new JsonPatchError({
      what: `error in ${operation} for path: '${path}': value was not a proper array index: '${key}'`,
    });
  }
  // A negative index counts from the end; inserting at -1 appends.
  const resolved = index < 0 ? index + end + 1 : index;
  if (resolved < 0 || resolved > end) {
    throw new JsonPatchError({
      what: `error in ${operation} for path: '${path}': Unable to access invalid index: ${index}: invalid index referenced`,
    });
  }
  return resolved;
}

function integer(token: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(token) ? Number(token) : undefined;
}

function missingPath(place: Place): JsonPatchError {
  return new JsonPatchError({
    what: `${place.operation} operation does not apply: doc is missing path: "${place.path}": missing value`,
  });
}
