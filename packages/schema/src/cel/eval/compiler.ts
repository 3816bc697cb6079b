import type { CelEnvironment } from '../environment.ts';
import type { Expr } from '../syntax/ast.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Reference } from '../types/scopes.ts';
import { compileIdent, compileSelect } from './access.ts';
import { compileList, compileMap, compileStruct } from './aggregate.ts';
import { compileCall } from './call.ts';
import { compileComprehension } from './comprehension.ts';
import type { Eval } from './frame.ts';
import type { Scope } from './scope.ts';

/** The checker's results. For an unchecked expression, every type is `dyn` and nothing is resolved. */
export interface NodeInfo {
  typeOf(expr: Expr): CelType;
  referenceOf(expr: Expr): Reference | undefined;
}

/**
 * Compiles nodes to closures.
 *
 * Fixed costs are added up at compile time ({@link Compiler.charge}). Each part of the expression that runs as a whole (a
 * {@link Compiler.branch}) spends the sum when it starts. Costs that depend on sizes are spent node by node at run time.
 */
export class Compiler {
  readonly environment: CelEnvironment;
  readonly info: NodeInfo;
  /** Sum of the fixed costs in the branch that is being compiled. */
  #cost = 0;

  constructor(environment: CelEnvironment, info: NodeInfo) {
    this.environment = environment;
    this.info = info;
  }

  /** Adds a fixed cost to the branch that is being compiled. */
  charge(units: number): void {
    this.#cost += units;
  }

  /** Compiles a part that runs conditionally or repeatedly and spends its fixed costs each time. */
  branch(expr: Expr, scope: Scope, more: { readonly cost: number } = { cost: 0 }): Eval {
    const outer = this.#cost;
    this.#cost = 0;
    const run = this.compile(expr, scope);
    const cost = Math.max(this.#cost + more.cost, 0);
    this.#cost = outer;
    if (cost === 0) return run;
    return (frame) => {
      frame.spend(cost);
      return run(frame);
    };
  }

  compile(expr: Expr, scope: Scope): Eval {
    switch (expr.kind) {
      case 'const': {
        const { value } = expr;
        return () => value;
      }
      case 'ident':
        return compileIdent(this, expr, scope);
      case 'select':
        return compileSelect(this, expr, scope);
      case 'call':
        return compileCall(this, expr, scope);
      case 'list':
        return compileList(this, expr, scope);
      case 'map':
        return compileMap(this, expr, scope);
      case 'comprehension':
        return compileComprehension(this, expr, scope);
      case 'struct':
        return compileStruct(this, expr, scope);
    }
  }
}
