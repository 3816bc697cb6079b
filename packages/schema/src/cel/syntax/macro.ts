import type { Expr } from './ast.ts';
import type { NodeFactory } from './node-factory.ts';

/** Context of a macro while it rewrites a call. */
export interface MacroContext {
  readonly nodes: NodeFactory;
  /** Offset of the call; new nodes get it, too. */
  readonly offset: number;
  /** Reports a fault at a node and returns a placeholder. */
  report(at: Expr, message: string): Expr;
}

/** A call that is rewritten at parse time. */
export interface Macro {
  readonly name: string;
  readonly args: number;
  readonly member: boolean;
  /** Returns the rewritten call; undefined leaves the call unchanged. */
  expand(
    context: MacroContext,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr | undefined;
}

export function macroKey(name: string, call: { readonly args: number; readonly member: boolean }): string {
  return `${name}:${call.args}:${call.member}`;
}
