import type { CelValue } from '../values/value.ts';
import { accumulator, type ComprehensionShape, type Expr, type MapEntry, type StructField } from './ast.ts';

/** The parts of a loop that a macro supplies. */
export interface LoopParts {
  readonly range: Expr;
  readonly iterVar: string;
  readonly iterVar2?: string;
  readonly accuVar?: string;
  readonly accuInit: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
  readonly shape: ComprehensionShape;
}

/** Creates nodes and numbers them. */
export class NodeFactory {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  constant(offset: number, value: CelValue): Expr {
    return { kind: 'const', id: this.#count++, offset, value };
  }

  ident(offset: number, name: string): Expr {
    return { kind: 'ident', id: this.#count++, offset, name };
  }

  select(
    offset: number,
    select: { readonly operand: Expr; readonly field: string; readonly testOnly?: boolean },
  ): Expr {
    const { operand, field, testOnly = false } = select;
    return { kind: 'select', id: this.#count++, offset, operand, field, testOnly };
  }

  call(offset: number, fn: string, args: readonly Expr[]): Expr {
    return { kind: 'call', id: this.#count++, offset, fn, target: undefined, args };
  }

  method(offset: number, target: Expr, call: { readonly fn: string; readonly args: readonly Expr[] }): Expr {
    return { kind: 'call', id: this.#count++, offset, fn: call.fn, target, args: call.args };
  }

  list(offset: number, elements: readonly Expr[], optionals: ReadonlySet<number> = new Set()): Expr {
    return { kind: 'list', id: this.#count++, offset, elements, optionals };
  }

  entry(offset: number, entry: { readonly key: Expr; readonly value: Expr; readonly optional: boolean }): MapEntry {
    return { id: this.#count++, offset, ...entry };
  }

  map(offset: number, entries: readonly MapEntry[]): Expr {
    return { kind: 'map', id: this.#count++, offset, entries };
  }

  field(
    offset: number,
    field: { readonly name: string; readonly value: Expr; readonly optional: boolean },
  ): StructField {
    return { id: this.#count++, offset, ...field };
  }

  struct(offset: number, name: string, fields: readonly StructField[]): Expr {
    return { kind: 'struct', id: this.#count++, offset, name, fields };
  }

  comprehension(offset: number, parts: LoopParts): Expr {
    return {
      kind: 'comprehension',
      id: this.#count++,
      offset,
      iterVar2: undefined,
      accuVar: accumulator,
      ...parts,
    };
  }
}
