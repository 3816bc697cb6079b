import type { Overload } from '../library/library.ts';
import type { Expr } from '../syntax/ast.ts';
import type { CelType } from '../types/cel-type.ts';
import { anySize, type Span } from './span.ts';
import type { ValuePath } from './value-path.ts';

/** The target or an argument of a call. */
export interface Operand {
  readonly expr: Expr;
  readonly type: CelType;
  readonly path: ValuePath | undefined;
  readonly size: Span | undefined;
}

/** A call that the checker resolved to one overload. */
export interface Call {
  readonly name: string;
  readonly overload: Pick<Overload, 'params' | 'result'>;
  readonly target: Operand | undefined;
  readonly args: readonly Operand[];
  /** Returns the size that the schema declares for the value at a field path. */
  sizeAt(path: ValuePath | undefined): Span | undefined;
}

/** The cost of a call, excluding the evaluation of its arguments, and the size of its result if known. */
export interface CallCost {
  readonly cost: Span;
  readonly size?: Span;
}

export function sizeOf(operand: Operand): Span {
  return operand.size ?? anySize;
}

/** Like {@link sizeOf}, but falls back to the size that the schema declares. */
export function sizeInCall(call: Call, operand: Operand): Span {
  return operand.size ?? call.sizeAt(operand.path) ?? anySize;
}
