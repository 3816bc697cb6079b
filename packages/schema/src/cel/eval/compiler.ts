import type { CelEnvironment } from '../environment.ts';
import type { Expr } from '../syntax/ast.ts';
import type { CelType } from '../types/cel-type.ts';
import type { Reference } from '../types/checker.ts';
import { compileIdent, compileSelect } from './access.ts';
import { compileList, compileMap, compileStruct } from './aggregate.ts';
import { compileCall } from './call.ts';
import { compileComprehension } from './comprehension.ts';
import type { Eval } from './frame.ts';
import type { Scope } from './scope.ts';

/** The compiler's information about nodes. Without a checker every type is `dyn` and nothing is resolved. */
export interface NodeInfo {
  typeOf(expr: Expr): CelType;
  referenceOf(expr: Expr): Reference | undefined;
}

/**
 * Compiles nodes to closures.
 *
 * Every node passes through {@link Compiler.compile} once: this is the place to track the runtime cost, with a wrapper
 * around the closure that charges the frame by node and type.
 */
export class Compiler {
  readonly environment: CelEnvironment;
  readonly info: NodeInfo;

  constructor(environment: CelEnvironment, info: NodeInfo) {
    this.environment = environment;
    this.info = info;
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
