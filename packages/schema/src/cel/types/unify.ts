import { type CelType, isDyn, isDynOrError, sameType } from './cel-type.ts';

/** The types bound to type parameters, by parameter name. */
export type Substitutions = ReadonlyMap<string, CelType>;

/**
 * Substitutions that can be rolled back. Attempts must be cheap, because malicious expressions can cause many attempts.
 */
class Bindings {
  readonly map = new Map<string, CelType>();
  readonly #trail: (readonly [name: string, before: CelType | undefined])[] = [];

  get mark(): number {
    return this.#trail.length;
  }

  set(name: string, type: CelType): void {
    this.#trail.push([name, this.map.get(name)]);
    this.map.set(name, type);
  }

  rollBack(mark: number): void {
    while (this.#trail.length > mark) {
      const [name, before] = this.#trail.pop()!;
      if (before === undefined) this.map.delete(name);
      else this.map.set(name, before);
    }
  }
}

/**
 * Decides whether a type is assignable to another type, and infers type parameters. Uses the algorithm of cel-go's
 * checker, so that the same expressions compile. A failed attempt leaves no bindings.
 */
export class Unifier {
  readonly #bindings = new Bindings();
  #fresh = 0;

  /** Returns a fresh type parameter. */
  newVariable(): CelType {
    return { kind: 'param', name: `_var${this.#fresh++}`, params: [] };
  }

  /** True if every type is assignable to its counterpart in `to`; otherwise, rolls back all bindings. */
  assignableAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    const mark = this.#bindings.mark;
    if (assignableList(this.#bindings, from, to)) return true;
    this.#bindings.rollBack(mark);
    return false;
  }

  assignable(from: CelType, to: CelType): boolean {
    return this.assignableAll([from], [to]);
  }

  /** Replaces the bound parameters of a type. Unbound parameters become `dyn` if `unknownToDyn` is true. */
  resolve(type: CelType, unknownToDyn: boolean): CelType {
    return substitute(this.#bindings.map, type, unknownToDyn);
  }
}

const dyn: CelType = { kind: 'dyn', name: 'dyn', params: [] };

/** Replaces the bound parameters of a type. Unbound parameters become `dyn` if `unknownToDyn` is true. */
export function substitute(bindings: Substitutions, type: CelType, unknownToDyn: boolean): CelType {
  if (type.kind === 'param') {
    const bound = bindings.get(type.name);
    if (bound !== undefined) return substitute(bindings, bound, unknownToDyn);
    return unknownToDyn ? dyn : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(bindings, param, unknownToDyn)) };
}

/** Returns the less specific of two types that are assignable to each other. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return equalOrLessSpecific(a, b) ? a : b;
}

function equalOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false;
  switch (a.kind) {
    case 'type':
      return true;
    case 'opaque':
    case 'list':
    case 'map':
      return (
        a.name === b.name &&
        a.params.length === b.params.length &&
        a.params.every((param, i) => equalOrLessSpecific(param, b.params[i]!))
      );
    default:
      return sameType(a, b);
  }
}

function assignableList(bindings: Bindings, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => assignable(bindings, type, to[i]!));
}

function assignable(bindings: Bindings, a: CelType, b: CelType): boolean {
  if (b.kind === 'param') {
    const { valid, bound } = bind(bindings, a, b);
    if (valid || bound) return valid;
  }
  if (a.kind === 'param') return bind(bindings, b, a).valid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null') return nullable(b);
  if (b.kind === 'null') return nullable(a);
  switch (a.kind) {
    case 'type':
      return b.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && assignableList(bindings, a.params, b.params);
    default:
      return sameType(a, b);
  }
}

function nullable(type: CelType): boolean {
  return ['null', 'opaque', 'struct', 'duration', 'timestamp'].includes(type.kind);
}

/** Tries to bind a type parameter to a type. */
function bind(bindings: Bindings, type: CelType, param: CelType): { valid: boolean; bound: boolean } {
  if (type.kind === 'param' && type.name === param.name) return { valid: true, bound: true };
  const current = bindings.map.get(param.name);
  if (current !== undefined) {
    if (sameType(type, current)) return { valid: true, bound: true };
    if (!assignable(bindings, type, current)) return { valid: false, bound: true };
    const general = mostGeneral(type, current);
    if (notReferencedIn(bindings, param, general)) bindings.set(param.name, general);
    return { valid: true, bound: true };
  }
  if (!notReferencedIn(bindings, param, type)) return { valid: false, bound: false };
  bindings.set(param.name, type);
  return { valid: true, bound: false };
}

function notReferencedIn(bindings: Bindings, param: CelType, within: CelType): boolean {
  if (sameType(param, within)) return false;
  if (within.kind === 'param') {
    const bound = bindings.map.get(within.name);
    return bound === undefined || notReferencedIn(bindings, param, bound);
  }
  return within.params.every((inner) => notReferencedIn(bindings, param, inner));
}
