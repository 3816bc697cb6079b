import type { Expr } from './ast.ts';
import type { NodeFactory } from './node-factory.ts';

/** The context of a macro expansion: creates nodes and reports errors. */
export interface MacroContext {
  readonly nodes: NodeFactory;
  /** Offset of the call; new nodes get the same offset. */
  readonly offset: number;
  /** Reports an error at a node and returns a placeholder node. */
  report(at: Expr, message: string): Expr;
}

/** A macro: a call that the parser replaces with another expression. */
export interface Macro {
  readonly name: string;
  readonly args: number;
  readonly member: boolean;
  /** Returns the replacement, or undefined to leave the call unchanged. */
  expand(
    context: MacroContext,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr | undefined;
}

export function macroKey(name: string, call: { readonly args: number; readonly member: boolean }): string {
  return `${name}:${call.args}:${call.member}`;
}
