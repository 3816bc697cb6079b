import type { Expr } from './ast.ts';
import type { NodeFactory } from './node-factory.ts';

/** What a macro may use while it rewrites a call. */
export interface MacroContext {
  readonly nodes: NodeFactory;
  /** Place of the call; new nodes point there. */
  readonly offset: number;
  /** Reports a fault at a node and gives a placeholder back. */
  report(at: Expr, message: string): Expr;
}

/** A call that is rewritten at parse time. */
export interface Macro {
  readonly name: string;
  readonly args: number;
  readonly member: boolean;
  /** The rewritten call; undefined leaves the call as it is. */
  expand(
    context: MacroContext,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr | undefined;
}

export function macroKey(name: string, call: { readonly args: number; readonly member: boolean }): string {
  return `${name}:${call.args}:${call.member}`;
}
