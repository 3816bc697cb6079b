import { Fault, fail, noSuchOverload } from '../errors.ts';
import type { ComprehensionExpr } from '../syntax/ast.ts';
import { elementAt, isList } from '../values/list.ts';
import { CelMap, MapBuilder } from '../values/map.ts';
import type { CelValue } from '../values/value.ts';
import type { Compiler } from './compiler.ts';
import type { Eval, Frame } from './frame.ts';
import type { Scope } from './scope.ts';

/** The body of a loop, run per element; returning false ends the loop. */
type Body = (frame: Frame) => boolean;

/** Compiles a macro's loop. It runs by its shape; the general definition is kept for the checker and cost estimates. */
export function compileComprehension(compiler: Compiler, expr: ComprehensionExpr, scope: Scope): Eval {
  if (expr.shape.kind === 'bind') return compileBind(compiler, expr, scope);
  const range = compiler.compile(expr.range, scope);
  const names = expr.iterVar2 === undefined ? [expr.iterVar] : [expr.iterVar, expr.iterVar2];
  const { scope: inner, slots } = scope.inner(...names);
  const each = iteration(range, slots);
  const { shape } = expr;
  switch (shape.kind) {
    case 'all':
    case 'exists':
      return quantifier(each, compiler.compile(shape.predicate, inner), shape.kind === 'exists');
    case 'existsOne':
      return existsOne(each, compiler.compile(shape.predicate, inner));
    default: {
      const filter = shape.filter && compiler.compile(shape.filter, inner);
      const transform = compiler.compile(shape.transform, inner);
      if (shape.kind === 'list') return collectList(each, filter, transform);
      const key = shape.kind === 'mapValues' ? slots[0]! : undefined;
      return collectMap(each, { filter, transform, keySlot: key });
    }
  }
}

function compileBind(compiler: Compiler, expr: ComprehensionExpr, scope: Scope): Eval {
  const value = compiler.compile(expr.accuInit, scope);
  const { scope: inner, slots } = scope.inner(expr.accuVar);
  const body = compiler.compile(expr.result, inner);
  const slot = slots[0]!;
  return (frame) => {
    frame.slots[slot] = value(frame);
    return body(frame);
  };
}

/** Runs a body for each element of a range, after setting its variables. */
type Each = (frame: Frame, body: Body) => void;

function iteration(range: Eval, slots: readonly number[]): Each {
  const [first, second] = slots as readonly [number, number | undefined];
  return (frame, body) => {
    const source = range(frame);
    const { slots: variables } = frame;
    if (isList(source)) {
      for (let i = 0; i < source.length; i++) {
        frame.charge(1);
        // One by one: a loop that ends early must not read the whole list.
        const value = elementAt(source, i);
        if (second === undefined) {
          variables[first] = value;
        } else {
          variables[first] = i;
          variables[second] = value;
        }
        if (!body(frame)) return;
      }
    } else if (source instanceof CelMap) {
      const keys = source.keys();
      frame.charge(keys.length * 0.1);
      for (const key of keys) {
        frame.charge(1);
        variables[first] = key;
        if (second !== undefined) variables[second] = source.get(key);
        if (!body(frame)) return;
      }
    } else {
      noSuchOverload();
    }
  };
}

/** `exists` for `decided` true, `all` for false: one deciding element takes precedence over errors of others. */
function quantifier(each: Each, predicate: Eval, decided: boolean): Eval {
  return (frame) => {
    let result = !decided;
    let firstFault: Fault | undefined;
    each(frame, (inner) => {
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
    if (result !== decided && firstFault !== undefined) throw firstFault;
    return result;
  };
}

function existsOne(each: Each, predicate: Eval): Eval {
  return (frame) => {
    let count = 0;
    each(frame, (inner) => {
      if (truth(predicate(inner))) count++;
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
