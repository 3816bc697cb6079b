import { newListCost, newMapCost, newStructCost } from '../cost/library-costs.ts';
import { fail, noSuchOverload } from '../errors.ts';
import type { ListExpr, MapExpr, StructExpr } from '../syntax/ast.ts';
import { MapBuilder } from '../values/map.ts';
import { CelObject } from '../values/object.ts';
import { CelOptional } from '../values/optional.ts';
import { matchesType } from '../values/type-of.ts';
import type { CelValue } from '../values/value.ts';
import type { Compiler } from './compiler.ts';
import { isFolded } from './folded.ts';
import { formatKey } from './format-key.ts';
import type { Eval } from './frame.ts';
import type { Scope } from './scope.ts';

/** A list literal. */
export function compileList(compiler: Compiler, expr: ListExpr, scope: Scope): Eval {
  if (expr.optionals.size === 0 && expr.elements.every((element) => element.kind === 'const')) {
    const values = expr.elements.map((element) => (element.kind === 'const' ? element.value : null));
    return () => values;
  }
  if (!isFolded(expr, compiler.info)) compiler.charge(newListCost);
  const elements = expr.elements.map((element) => compiler.compile(element, scope));
  if (expr.optionals.size === 0) {
    return (frame) => {
      const list = new Array<CelValue>(elements.length);
      for (let i = 0; i < elements.length; i++) list[i] = elements[i]!(frame);
      return list;
    };
  }
  return (frame) => {
    const list: CelValue[] = [];
    elements.forEach((element, i) => {
      const value = element(frame);
      if (!expr.optionals.has(i)) list.push(value);
      else if (!(value instanceof CelOptional)) noSuchOverload();
      else if (value.value !== undefined) list.push(value.value);
    });
    return list;
  };
}

/** A map literal. */
export function compileMap(compiler: Compiler, expr: MapExpr, scope: Scope): Eval {
  if (!isFolded(expr, compiler.info)) compiler.charge(newMapCost);
  const entries = expr.entries.map(({ key, value, optional }) => ({
    key: compiler.compile(key, scope),
    value: compiler.compile(value, scope),
    optional,
  }));
  return (frame) => {
    const map = new MapBuilder();
    for (const entry of entries) {
      const key = entry.key(frame);
      let value: CelValue | undefined = entry.value(frame);
      if (entry.optional) value = value instanceof CelOptional ? value.value : noSuchOverload();
      if (value !== undefined) addEntry(map, key, value);
    }
    return map.build();
  };
}

/** A structure literal. */
export function compileStruct(compiler: Compiler, expr: StructExpr, scope: Scope): Eval {
  const type = compiler.environment.struct(expr.name);
  if (!type) return () => fail(`unknown type: ${expr.name}`);
  compiler.charge(newStructCost);
  const fields = expr.fields.map(({ name, value, optional }) => ({
    name,
    declared: type.fields?.typeOf(name),
    value: compiler.compile(value, scope),
    optional,
  }));
  return (frame) => {
    const values = new Map<string, CelValue>();
    for (const { name, declared, optional, ...field } of fields) {
      let value: CelValue | undefined = field.value(frame);
      if (optional) value = value instanceof CelOptional ? value.value : noSuchOverload();
      if (value === undefined) continue;
      // The checker accepts dynamic values, so their types are checked here.
      if (declared && !matchesType(value, declared)) fail(`unexpected type for ${type.name}Type '${name}' field`);
      values.set(name, value);
    }
    return new CelObject(type, values);
  };
}

/** Adds an entry to a map under construction. Fails if the key is a duplicate or has an unsupported type. */
function addEntry(map: MapBuilder, key: CelValue, value: CelValue): void {
  const outcome = map.add(key, value);
  if (outcome === 'unsupported') fail('unsupported key type');
  if (outcome === 'repeated') fail(`Failed with repeated key: ${formatKey(key)}`);
}
