import { type ActualCost, actualCost } from '../cost/actual-costs.ts';
import { CelCompileError, Fault, fail } from '../errors.ts';
import type { Overload } from '../library/library.ts';
import { type CallExpr, qualifiedName } from '../syntax/ast.ts';
import { type CelType, formatCall, isDynOrError } from '../types/cel-type.ts';
import { CelList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { matchesType, typeOfValue } from '../values/type-of.ts';
import type { CelValue } from '../values/value.ts';
import type { Compiler } from './compiler.ts';
import { isFoldedConversion } from './folded.ts';
import { type Eval, Frame } from './frame.ts';
import { compileOptionalOr } from './logic.ts';
import { compileOperator } from './operators.ts';
import type { Scope } from './scope.ts';

/** Compiles a call, an operator or a method. */
export function compileCall(compiler: Compiler, expr: CallExpr, scope: Scope): Eval {
  if (expr.target !== undefined) return compileMethod(compiler, expr, scope);
  const operator = compileOperator(compiler, expr, scope);
  if (operator !== undefined) return operator;
  const args = expr.args.map((arg) => compiler.compile(arg, scope));
  const run = compileFunction(compiler, expr, { name: expr.fn, member: false, args });
  return isFoldedConversion(expr, compiler.info) ? precomputed(compiler, run) : run;
}

/**
 * Converts a literal at compile time. Reports a failed conversion immediately if the environment checks literals,
 * otherwise on evaluation.
 */
function precomputed(compiler: Compiler, run: Eval): Eval {
  const { patterns, options } = compiler.environment;
  try {
    const value = run(new Frame([], { budget: Number.POSITIVE_INFINITY, patterns }));
    return () => value;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (options.checkLiterals === true) throw new CelCompileError(error.message, []);
    return run;
  }
}

/** Compiles `target.fn(args)`, which calls either a method or a function whose name contains dots. */
function compileMethod(compiler: Compiler, expr: CallExpr, scope: Scope): Eval {
  const prefix = qualifiedName(expr.target!);
  if (prefix !== undefined && scope.local(prefix.split('.', 1)[0]!) === undefined) {
    for (const name of compiler.environment.candidates(`${prefix}.${expr.fn}`)) {
      if (!compiler.environment.functions.has(name)) continue;
      const args = expr.args.map((arg) => compiler.compile(arg, scope));
      return compileFunction(compiler, expr, { name, member: false, args });
    }
  }
  const target = compiler.compile(expr.target!, scope);
  if (
    (expr.fn === 'or' || expr.fn === 'orValue') &&
    expr.args.length === 1 &&
    compiler.environment.functions.has(expr.fn)
  ) {
    return compileOptionalOr(target, compiler.branch(expr.args[0]!, scope), expr.fn === 'orValue');
  }
  const args = expr.args.map((arg) => compiler.compile(arg, scope));
  return compileFunction(compiler, expr, { name: expr.fn, member: true, args: [target, ...args] });
}

/** A call whose arguments have been compiled. */
interface Call {
  readonly name: string;
  readonly member: boolean;
  readonly args: readonly Eval[];
}

function compileFunction(compiler: Compiler, expr: CallExpr, call: Call): Eval {
  const overloads = functionOverloads(compiler, call);
  if (overloads === undefined) return () => fail(`unbound function: ${call.name}`);
  const fitting = overloads.filter((o) => o.member === call.member && o.params.length === call.args.length);
  const reference = compiler.info.referenceOf(expr);
  const resolved = reference?.kind === 'function' ? reference.overloads : fitting;
  const types = argumentTypes(compiler, expr, call);
  const only = resolved.length === 1 ? resolved[0] : undefined;
  const cost = isFoldedConversion(expr, compiler.info) ? 0 : actualCost(call.name, only);
  if (typeof cost === 'number') compiler.charge(cost);
  if (only?.params.every((param, i) => needsNoCheck(param, types[i]!)))
    return direct(spending(only.run, cost), call.args);
  return dispatching(call, fitting, cost);
}

/** Runs an overload. */
type Run = (frame: Frame, ...args: readonly CelValue[]) => CelValue;

/**
 * Spends a cost that depends on sizes: before the call if the cost depends on the arguments, after the call if it
 * depends on the result.
 */
function spending(run: Run, cost: ActualCost): Run {
  if (typeof cost === 'number') return run;
  if ('fromArgs' in cost) {
    return (frame, ...args) => {
      frame.spend(cost.fromArgs(...args));
      return run(frame, ...args);
    };
  }
  return (frame, ...args) => {
    const result = run(frame, ...args);
    frame.spend(cost.fromResult(result));
    return result;
  };
}

function functionOverloads(compiler: Compiler, call: Call): readonly Overload[] | undefined {
  for (const name of compiler.environment.candidates(call.name)) {
    const overloads = compiler.environment.functions.get(name);
    if (overloads !== undefined) return overloads;
  }
  return undefined;
}

function argumentTypes(compiler: Compiler, expr: CallExpr, call: Call): readonly CelType[] {
  const exprs = call.member ? [expr.target!, ...expr.args] : expr.args;
  return exprs.map((arg) => compiler.info.typeOf(arg));
}

/** True if every value of the argument's static type matches the parameter, so no run-time check is needed. */
function needsNoCheck(param: CelType, actual: CelType): boolean {
  if (isDynOrError(param) || param.kind === 'param') return true;
  // The checker accepts null for structures, optionals and library types, so their values are checked at run time.
  return !isDynOrError(actual) && !['opaque', 'struct', 'timestamp', 'duration', 'null'].includes(param.kind);
}

/** Calls the only possible overload without checking types. Charges for the arguments' sizes before the call. */
function direct(run: Run, args: readonly Eval[]): Eval {
  const [a, b, c] = args;
  switch (args.length) {
    case 0:
      return (frame) => run(frame);
    case 1:
      return (frame) => {
        const x = a!(frame);
        charge(frame, x);
        return run(frame, x);
      };
    case 2:
      return (frame) => {
        const x = a!(frame);
        const y = b!(frame);
        charge(frame, x);
        charge(frame, y);
        return run(frame, x, y);
      };
    case 3:
      return (frame) => {
        const x = a!(frame);
        const y = b!(frame);
        const z = c!(frame);
        charge(frame, x);
        charge(frame, y);
        charge(frame, z);
        return run(frame, x, y, z);
      };
    default:
      return (frame) =>
        invoke(
          frame,
          run,
          args.map((arg) => arg(frame)),
        );
  }
}

function invoke(frame: Frame, run: Run, values: readonly CelValue[]): CelValue {
  for (const value of values) charge(frame, value);
  return run(frame, ...values);
}

function charge(frame: Frame, value: CelValue): void {
  if (typeof value === 'string' || value instanceof Uint8Array) frame.charge(1 + value.length * 0.1);
  else if (Array.isArray(value) || value instanceof CelList) frame.charge(1 + value.length);
  else if (value instanceof CelMap) frame.charge(1 + value.size * 0.1);
  else frame.charge(1);
}

/** Selects an overload at run time, by the types of the arguments. */
function dispatching(call: Call, overloads: readonly Overload[], cost: ActualCost): Eval {
  return (frame) => {
    const values = call.args.map((arg) => arg(frame));
    const overload = overloads.find((o) => o.params.every((param, i) => matchesType(values[i]!, param)));
    if (overload !== undefined) return invoke(frame, spending(overload.run, cost), values);
    throw new Fault(`no such overload: ${signature(call, values)}`);
  };
}

function signature(call: Call, values: readonly CelValue[]): string {
  // As in cel-go, show the types of values without type parameters.
  const types = values.map((value) => ({ ...typeOfValue(value), params: [] }));
  const text = formatCall(types, call.member);
  return call.member ? text.replace('.(', `.${call.name}(`) : `${call.name}${text}`;
}
