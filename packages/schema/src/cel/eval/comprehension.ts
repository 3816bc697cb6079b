import { newListCost } from '../cost/library-costs.ts';
import { Fault, fail, noSuchOverload } from '../errors.ts';
import type { ComprehensionExpr, Expr } from '../syntax/ast.ts';
import { optionalHolder } from '../syntax/binding-macros.ts';
import { elementAt, isList } from '../values/list.ts';
import { CelMap, MapBuilder } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { Compiler } from './compiler.ts';
import { isFolded } from './folded.ts';
import type { Eval, Frame } from './frame.ts';
import type { Scope } from './scope.ts';

/** The body of a loop, run per element; returning false ends the loop. */
type Body = (frame: Frame) => boolean;

/**
 * Compiles a macro's loop from its {@link ComprehensionExpr.shape}. The checker and the cost estimates use the loop's
 * general parts instead.
 */
export function compileComprehension(compiler: Compiler, expr: ComprehensionExpr, scope: Scope): Eval {
  if (expr.shape.kind === 'bind') return compileBind(compiler, expr, scope);
  const range = compiler.compile(expr.range, scope);
  compiler.charge(1);
  const names = expr.iterVar2 === undefined ? [expr.iterVar] : [expr.iterVar, expr.iterVar2];
  const { scope: inner, slots } = scope.inner(...names);
  const each = iteration(range, slots);
  const { shape } = expr;
  switch (shape.kind) {
    case 'all':
    case 'exists': {
      const decided = shape.kind === 'exists';
      const test = conditionCost(decided);
      return quantifier(each, compiler.branch(shape.predicate, inner, { cost: test + 1 }), { decided, test });
    }
    case 'existsOne':
      compiler.charge(1);
      return existsOne(each, compiler.branch(shape.predicate, inner));
    default: {
      const filter = shape.filter && compiler.branch(shape.filter, inner);
      const transform = compiler.branch(shape.transform, inner, { cost: collectingCost(compiler, shape) });
      if (shape.kind === 'list') return collectList(each, filter, transform);
      const key = shape.kind === 'mapValues' ? slots[0]! : undefined;
      return collectMap(each, { filter, transform, keySlot: key });
    }
  }
}

/**
 * Returns the cost of a quantifier's loop condition: `@not_strictly_false(@result)` for `all`,
 * `@not_strictly_false(!@result)` for `exists`.
 */
function conditionCost(exists: boolean): number {
  return exists ? 3 : 2;
}

/**
 * Returns the cost of adding one result: reading the accumulator, calling the function that adds the result, and
 * creating a list or reading the key.
 */
function collectingCost(
  { info }: Compiler,
  shape: { readonly kind: 'list' | 'mapValues' | 'mapEntries'; readonly transform: Expr },
): number {
  if (shape.kind === 'list') return 2 + (isFolded(shape.transform, info) ? 0 : newListCost);
  return shape.kind === 'mapValues' ? 3 : 2;
}

function compileBind(compiler: Compiler, expr: ComprehensionExpr, scope: Scope): Eval {
  const value = compiler.branch(expr.accuInit, scope);
  const costsEachRead = expr.accuVar.startsWith(optionalHolder);
  const { scope: inner, slot } = scope.lazily(expr.accuVar, { value, costsEachRead });
  const body = compiler.compile(expr.result, inner);
  return (frame) => {
    frame.slots[slot] = undefined;
    return body(frame);
  };
}

/** Sets the loop variables and runs the body for each element. Returns true if the loop ended before the last element. */
type Each = (frame: Frame, body: Body) => boolean;

function iteration(range: Eval, slots: readonly number[]): Each {
  const [first, second] = slots as readonly [number, number | undefined];
  return (frame, body) => {
    const source = range(frame);
    const { slots: variables } = frame;
    if (isList(source)) {
      for (let i = 0; i < source.length; i++) {
        frame.charge(1);
        // Reads one element at a time, so that a loop that ends early does not read the whole list.
        const value = elementAt(source, i);
        if (second === undefined) {
          variables[first] = value;
        } else {
          variables[first] = i;
          variables[second] = value;
        }
        if (!body(frame)) return i + 1 < source.length;
      }
    } else if (source instanceof CelMap) {
      const keys = source.keys();
      frame.charge(keys.length);
      for (const [i, key] of keys.entries()) {
        frame.charge(1);
        variables[first] = key;
        if (second !== undefined) variables[second] = source.get(key);
        if (!body(frame)) return i + 1 < keys.length;
      }
    } else {
      noSuchOverload();
    }
    return false;
  };
}

/**
 * Compiles `exists` (`decided` is true) or `all` (`decided` is false). An element that decides the result overrides
 * errors in other elements.
 */
function quantifier(each: Each, predicate: Eval, how: { readonly decided: boolean; readonly test: number }): Eval {
  const { decided, test } = how;
  return (frame) => {
    let result = !decided;
    let firstFault: Fault | undefined;
    const stopped = each(frame, (inner) => {
      try {
        const value = predicate(inner);
        if (value === decided) {
          result = decided;
          return false;
        }
        if (typeof value !== 'boolean') firstFault ??= new Fault('no such overload');
      } catch (fault) {
        if (!(fault instanceof Fault)) throw fault;
        firstFault ??= fault;
      }
      return true;
    });
    if (stopped) frame.spend(test);
    if (result !== decided && firstFault !== undefined) throw firstFault;
    return result;
  };
}

function existsOne(each: Each, predicate: Eval): Eval {
  return (frame) => {
    let count = 0;
    each(frame, (inner) => {
      if (truth(predicate(inner))) {
        count++;
        // In upstream, reading the count and adding one cost one unit each.
        inner.spend(2);
      }
      return true;
    });
    return count === 1;
  };
}

function truth(value: CelValue): boolean {
  return typeof value === 'boolean' ? value : noSuchOverload();
}

function collectList(each: Each, filter: Eval | undefined, transform: Eval): Eval {
  return (frame) => {
    const list: CelValue[] = [];
    each(frame, (inner) => {
      if (filter === undefined || truth(filter(inner))) list.push(transform(inner));
      return true;
    });
    return list;
  };
}

function collectMap(
  each: Each,
  parts: { readonly filter: Eval | undefined; readonly transform: Eval; readonly keySlot: number | undefined },
): Eval {
  const { filter, transform, keySlot } = parts;
  return (frame) => {
    const map = new MapBuilder();
    each(frame, (inner) => {
      if (filter !== undefined && !truth(filter(inner))) return true;
      const value = transform(inner);
      if (keySlot !== undefined) {
        insert(map, inner.slots[keySlot]!, value);
      } else if (value instanceof CelMap) {
        for (const key of value.keys()) insert(map, key, value.get(key)!);
      } else {
        noSuchOverload();
      }
      return true;
    });
    return map.build();
  };
}

function insert(map: MapBuilder, key: CelValue, value: CelValue): void {
  const outcome = map.add(key, value);
  if (outcome === 'repeated') fail(`insert failed: key ${String(key)} already exists`);
  if (outcome === 'unsupported') fail('unsupported key type');
}
