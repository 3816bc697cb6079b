import type { Expr } from './ast.ts';
import type { IssueList } from './issue.ts';
import { type Macro, type MacroContext, macroKey } from './macro.ts';
import type { NodeFactory } from './node-factory.ts';

/** Rewrites calls to macros. */
export class MacroExpander {
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #nodes: NodeFactory;
  readonly #issues: IssueList;

  constructor(macros: ReadonlyMap<string, Macro>, parts: { readonly nodes: NodeFactory; readonly issues: IssueList }) {
    this.#macros = macros;
    this.#nodes = parts.nodes;
    this.#issues = parts.issues;
  }

  /** Returns the expansion of the call; undefined if no macro applies. */
  expand(
    fn: string,
    offset: number,
    call: { readonly target: Expr | undefined; readonly args: readonly Expr[] },
  ): Expr | undefined {
    const key = macroKey(fn, { args: call.args.length, member: call.target !== undefined });
    const macro = this.#macros.get(key);
    if (macro === undefined) return undefined;
    const context: MacroContext = {
      nodes: this.#nodes,
      offset,
      report: (expr, message) => {
        this.#issues.report(expr.offset, message);
        return this.#nodes.constant(offset, null);
      },
    };
    return macro.expand(context, call);
  }
}
