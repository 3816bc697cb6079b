import type { Expr } from '../syntax/ast.ts';
import { type CelType, isOptional } from '../types/cel-type.ts';
import type { Checked } from '../types/checker.ts';
import { CelDouble } from '../values/double.ts';
import { CelUint } from '../values/uint.ts';
import { type SizedType, sizedField, type UnboundedField } from './sized-type.ts';
import { anySize, around, exactly, type Span } from './span.ts';
import type { ValuePath } from './value-path.ts';

/** Key and value sizes of a list or map that the expression creates. */
export interface EntrySize {
  readonly container: 'list' | 'map';
  readonly key: Span;
  readonly value: Span;
}

/** A variable of a comprehension or of `cel.bind`. */
export interface Local {
  readonly path: ValuePath | undefined;
  readonly size?: Span | undefined;
  readonly entries?: EntrySize | undefined;
}

const scalars = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);
const one = exactly(1);

/**
 * The target of `optMap`, which our expansion binds to a name. Upstream's expansion repeats the target, so each use of
 * the name costs as much as the target.
 */
export interface BoundTarget {
  readonly expr: Expr;
  cost?: Span;
}

/** The known sizes of an expression's parts, collected while walking the expression's tree. */
export class SizeTable {
  readonly #checked: Checked;
  readonly #root: SizedType;
  readonly #unlimited = new Map<string, UnboundedField>();
  readonly #paths = new Map<number, ValuePath | undefined>();
  readonly #sizes = new Map<number, Span>();
  readonly #entries = new Map<number, EntrySize>();
  readonly #locals = new Map<string, Local[]>();
  readonly #targets = new Map<string, BoundTarget>();

  constructor(checked: Checked, root: SizedType) {
    this.#checked = checked;
    this.#root = root;
  }

  get unlimited(): readonly UnboundedField[] {
    return [...this.#unlimited.values()];
  }

  boundTarget(name: string): BoundTarget | undefined {
    return this.#targets.get(name);
  }

  bindTarget(name: string, held: BoundTarget): void {
    this.#targets.set(name, held);
  }

  setPath(id: number, path: ValuePath | undefined): void {
    this.#paths.set(id, path);
  }

  setEntries(id: number, entries: EntrySize | undefined): void {
    if (entries !== undefined) this.#entries.set(id, entries);
  }

  resolveTarget(expr: Expr): Expr {
    const held = expr.kind === 'ident' ? this.#targets.get(expr.name) : undefined;
    return held === undefined ? expr : this.resolveTarget(held.expr);
  }

  pathOf(written: Expr): ValuePath | undefined {
    const expr = this.resolveTarget(written);
    const local = expr.kind === 'ident' ? this.local(expr.name) : undefined;
    return local === undefined ? this.#paths.get(expr.id) : local.path;
  }

  sizeOr(expr: Expr): Span {
    return this.sizeOf(expr) ?? anySize;
  }

  sizeOf(written: Expr): Span | undefined {
    const expr = this.resolveTarget(written);
    const known = this.#sizes.get(expr.id) ?? literalSize(expr);
    if (known !== undefined) return known;
    const declared = this.declared(this.pathOf(expr));
    if (declared !== undefined) {
      this.#sizes.set(expr.id, declared);
      return declared;
    }
    if (isScalar(this.#checked.typeOf(expr))) return one;
    return expr.kind === 'ident' ? this.local(expr.name)?.size : undefined;
  }

  /**
   * Returns the size that the schema declares for a path. Like upstream, ignores the variable at the start of the path
   * and resolves every path from the rule's own value.
   */
  declared(path: ValuePath | undefined): Span | undefined {
    if (path === undefined) return undefined;
    let type: SizedType | undefined = this.#root;
    for (const step of path.steps.slice(1)) {
      if (step === '@items' || step === '@values') type = type.element;
      else type = step === '@keys' ? type.key : sizedField(type, step);
      if (type === undefined) return undefined;
    }
    const { unlimited } = type;
    if (unlimited !== undefined) this.#unlimited.set(unlimited.path, unlimited);
    return { min: 0, max: type.maxElements };
  }

  setSize(expr: Expr, size: Span | undefined): void {
    if (size !== undefined) this.#sizes.set(expr.id, size);
  }

  entriesOf(written: Expr): EntrySize | undefined {
    const expr = this.resolveTarget(written);
    return this.#entries.get(expr.id) ?? (expr.kind === 'ident' ? this.local(expr.name)?.entries : undefined);
  }

  copy(to: Expr, from: Expr): void {
    this.setSize(to, this.sizeOf(from));
    this.setEntries(to.id, this.entriesOf(from));
  }

  asLocal(expr: Expr): Local {
    return { path: this.pathOf(expr), size: this.sizeOf(expr), entries: this.entriesOf(expr) };
  }

  local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack === undefined) this.#locals.set(name, [local]);
    else stack.push(local);
  }

  pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

/** Returns the smallest entry sizes that contain both arguments. */
export function mergeEntrySizes(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { container: a.container, key: around(a.key, b.key), value: around(a.value, b.value) };
}

function literalSize(expr: Expr): Span | undefined {
  if (expr.kind === 'list') return exactly(expr.elements.length);
  if (expr.kind === 'map') return exactly(expr.entries.length);
  if (expr.kind !== 'const') return undefined;
  const { value } = expr;
  if (typeof value === 'string') return exactly([...value].length);
  if (value instanceof Uint8Array) return exactly(value.length);
  const isScalarValue =
    value === null || typeof value !== 'object' || value instanceof CelDouble || value instanceof CelUint;
  return isScalarValue ? one : undefined;
}

function isScalar(type: CelType): boolean {
  return scalars.has(type.kind) || (isOptional(type) && isScalar(type.params[0]!));
}
