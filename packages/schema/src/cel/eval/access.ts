import { CelEvaluationError, fail, noSuchOverload } from '../errors.ts';
import { accessTo, type MemberAccess, type MemberTypes, SchemaObject } from '../schema/schema-object.ts';
import { type CallExpr, type Expr, type IdentExpr, qualifiedName, type SelectExpr } from '../syntax/ast.ts';
import { CelDouble } from '../values/double.ts';
import { elementAt, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelOptional } from '../values/optional.ts';
import { CelTypeValue } from '../values/type-value.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import { baseCost, isAttribute } from './attribute.ts';
import type { Compiler } from './compiler.ts';
import { formatKey } from './format-key.ts';
import type { Eval, Frame } from './frame.ts';
import type { LazyValue, Scope } from './scope.ts';

export function compileIdent(compiler: Compiler, expr: IdentExpr, scope: Scope): Eval {
  return variable(compiler, expr.name, scope) ?? undeclared(compiler, expr.name);
}

function undeclared(compiler: Compiler, name: string): Eval {
  const message = `undeclared reference to '${name}' (in container '${compiler.environment.options.container ?? ''}')`;
  return () => fail(message);
}

/** Compiles a read of a variable or a type; returns undefined if the name refers to neither. */
function variable(compiler: Compiler, name: string, scope: Scope): Eval | undefined {
  const local = name.startsWith('.') ? undefined : scope.local(name);
  if (local !== undefined) {
    const lazy = scope.lazyValue(name);
    if (lazy?.costsEachRead === true) return readAtFullCost(local, lazy);
    compiler.charge(1);
    return lazy === undefined ? readLocal(local) : readLazy(local, lazy);
  }
  for (const candidate of compiler.environment.candidates(name)) {
    const global = scope.global(candidate);
    if (global !== undefined) {
      if (scope.isDeferred(candidate)) {
        // As in upstream, the variable and the selection of its field cost one unit each.
        compiler.charge(2);
        return readDeferred(global, candidate);
      }
      compiler.charge(1);
      return readGlobal(global, candidate);
    }
    const type = compiler.environment.types.get(candidate);
    if (type !== undefined) {
      const value = new CelTypeValue(type.params[0]!);
      return () => value;
    }
  }
  return undefined;
}

function readLocal(slot: number): Eval {
  // The cast is safe, because the loop sets the variable before its body reads it. A check would cost time for every
  // element.
  return (frame) => frame.slots[slot] as CelValue;
}

function readLazy(slot: number, { value }: LazyValue): Eval {
  return (frame) => {
    frame.slots[slot] ??= value(frame);
    return frame.slots[slot] as CelValue;
  };
}

/** Reads a value that upstream re-evaluates on every read. Here, later reads only spend the cost of the first read. */
function readAtFullCost(slot: number, { value, costSlot }: LazyValue): Eval {
  return (frame) => {
    const { slots } = frame;
    if (slots[slot] === undefined) {
      const before = frame.budget;
      slots[slot] = value(frame);
      slots[costSlot] = before - frame.budget;
    } else {
      frame.spend(slots[costSlot] as number);
    }
    return slots[slot] as CelValue;
  };
}

function readGlobal(slot: number, name: string): Eval {
  return (frame) => {
    const value = frame.slots[slot];
    return value === undefined ? fail(`no such attribute(s): ${name}`) : value;
  };
}

/** Reads a variable whose value the caller computes on demand. */
function readDeferred(slot: number, name: string): Eval {
  return (frame) => {
    const value = frame.slots[slot] as (() => CelValue) | undefined;
    if (value === undefined) return fail(`no such attribute(s): ${name}`);
    try {
      return value();
    } catch (error) {
      if (error instanceof CelEvaluationError) return fail(error.message);
      throw error;
    }
  };
}

export function compileSelect(compiler: Compiler, expr: SelectExpr, scope: Scope): Eval {
  const name = qualifiedName(expr);
  if (name !== undefined && scope.local(name.split('.', 1)[0]!) === undefined) {
    const named = variable(compiler, name, scope);
    if (named !== undefined) return named;
  }
  const operand = compiler.compile(expr.operand, scope);
  if (expr.testOnly) {
    if (!isAttribute(expr.operand)) compiler.charge(1);
    return presenceTest(operand, expr.field);
  }
  chargeStep(compiler, expr.operand);
  return fieldRead(operand, expr.field);
}

/** Charges one unit for the step, and one for its base. A base that is an attribute has already been charged. */
function chargeStep(compiler: Compiler, operand: Expr): void {
  compiler.charge(isAttribute(operand) ? 1 : 2);
}

function fieldRead(operand: Eval, field: string): Eval {
  // Caches the access for the last type, because the same subexpression nearly always reads the same type.
  let known: MemberTypes | undefined;
  let access: MemberAccess | undefined;
  return (frame) => {
    const target = operand(frame);
    if (target instanceof SchemaObject) {
      if (target.members !== known) {
        known = target.members;
        access = accessTo(known, field);
      }
      return present(access && target.read(access), field);
    }
    if (target instanceof CelMap) return present(target.get(field), field);
    if (target instanceof CelOptional) return optionalField(frame, target, field);
    return noSuchOverload();
  };
}

/** Returns the member's value; fails if the member is absent. */
function present(value: CelValue | undefined, key: CelValue): CelValue {
  return value === undefined ? fail(`no such key: ${formatKey(key)}`) : value;
}

function presenceTest(operand: Eval, field: string): Eval {
  return (frame) => {
    let target: CelValue | undefined = operand(frame);
    if (target instanceof CelOptional) target = target.value;
    if (target === undefined) return false;
    if (target instanceof CelMap) return target.get(field) !== undefined;
    return noSuchOverload();
  };
}

/** `operand.?field` */
export function compileOptionalSelect(compiler: Compiler, expr: CallExpr, scope: Scope): Eval {
  const [operand, name] = expr.args;
  const target = compiler.compile(operand!, scope);
  const field = name?.kind === 'const' && typeof name.value === 'string' ? name.value : '';
  chargeStep(compiler, operand!);
  return (frame) => optionalField(frame, target(frame), field);
}

function optionalField(frame: Frame, target: CelValue, field: string): CelOptional {
  const inner = target instanceof CelOptional ? target.value : target;
  if (inner === undefined) return absent(frame);
  if (!(inner instanceof CelMap)) return noSuchOverload();
  const value = inner.get(field);
  return value === undefined ? absent(frame) : new CelOptional(value);
}

/** Returns the empty optional and refunds the step, which is charged in advance but free for absent members. */
function absent(frame: Frame): CelOptional {
  frame.refund(1);
  return CelOptional.none;
}

/** Compiles `operand[index]`, and `operand[?index]`, which returns an empty optional instead of failing. */
export function compileIndex(compiler: Compiler, expr: CallExpr, scope: Scope): Eval {
  const [list, at] = expr.args;
  const operand = compiler.compile(list!, scope);
  const index = compiler.compile(at!, scope);
  // Indexing costs one unit for an attribute and two for any other operand. An index that is an attribute adds only its
  // steps.
  compiler.charge((isAttribute(list!) ? 0 : 1) + 1 - baseCost(at!));
  return expr.fn === '_[_]' ? indexed(operand, index) : (frame) => optionalIndex(frame, operand(frame), index(frame));
}

function indexed(operand: Eval, index: Eval): Eval {
  return (frame) => {
    const target = operand(frame);
    const key = index(frame);
    if (target instanceof CelOptional) return optionalIndex(frame, target, key);
    if (isList(target)) {
      const at = listIndex(key);
      if (at < 0 || at >= target.length) return fail(`index out of bounds: ${formatKey(key)}`);
      return elementAt(target, at);
    }
    if (target instanceof CelMap) return present(target.get(key), key);
    return noSuchOverload();
  };
}

function optionalIndex(frame: Frame, target: CelValue, key: CelValue): CelOptional {
  const inner = target instanceof CelOptional ? target.value : target;
  if (inner === undefined) return absent(frame);
  if (isList(inner)) {
    const at = listIndex(key);
    return at < 0 || at >= inner.length ? absent(frame) : new CelOptional(elementAt(inner, at));
  }
  if (!(inner instanceof CelMap)) return noSuchOverload();
  const value = inner.get(key);
  return value === undefined ? absent(frame) : new CelOptional(value);
}

/** Converts a list index to a number. Accepts unsigned integers and whole doubles too. */
function listIndex(key: CelValue): number {
  if (typeof key === 'number') return key;
  if (typeof key === 'bigint') return -1;
  if (key instanceof CelUint) return Number(key.value);
  if (key instanceof CelDouble) {
    return Number.isInteger(key.value) ? key.value : fail(`unsupported index value: ${formatKey(key)}`);
  }
  return fail('no such overload');
}
