import { fail } from '../errors.ts';
import type { Expr } from '../syntax/ast.ts';
import { bindTo } from '../syntax/binding-macros.ts';
import { mapMacro } from '../syntax/loop-macros.ts';
import type { Macro, MacroContext } from '../syntax/macro.ts';
import { add, compare } from '../values/arithmetic.ts';
import { CelDouble } from '../values/double.ts';
import { CelDuration } from '../values/duration.ts';
import { equals, type Meter } from '../values/equality.ts';
import { type CelList, elements, isList } from '../values/list.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelUint } from '../values/uint.ts';
import type { CelValue } from '../values/value.ts';
import { type Library, type Overload, overload } from './library.ts';

type List = readonly CelValue[] | CelList;

const comparable = ['int', 'uint', 'double', 'bool', 'duration', 'timestamp', 'string', 'bytes'];
const zeros: readonly (readonly [type: string, zero: CelValue])[] = [
  ['int', 0],
  ['uint', new CelUint(0n)],
  ['double', new CelDouble(0)],
  ['duration', new CelDuration(0n)],
];

/** Kubernetes' list functions: `isSorted`, `sum`, `min`, `max`, `indexOf`, `lastIndexOf`. */
export const kubernetesListsLibrary: Library = {
  name: 'kubernetes.lists',
  overloads: [
    ...forEach(comparable, (type) => overload<[List]>(`list(${type}).isSorted() bool`, isSorted)),
    ...forEach(comparable, (type) =>
      overload<[List]>(`list(${type}).max() ${type}`, (meter, list) => extreme(meter, list, { name: 'max', sign: 1 })),
    ),
    ...forEach(comparable, (type) =>
      overload<[List]>(`list(${type}).min() ${type}`, (meter, list) => extreme(meter, list, { name: 'min', sign: -1 })),
    ),
    ...zeros.map(([type, zero]) =>
      overload<[List]>(`list(${type}).sum() ${type}`, (meter, list) =>
        elements(list).reduce((sum, element) => add(sum, element, meter), zero),
      ),
    ),
    overload<[List, CelValue]>('list(A).indexOf(A) int', (meter, list, item) =>
      elements(list).findIndex((element) => equals(element, item, meter)),
    ),
    overload<[List, CelValue]>('list(A).lastIndexOf(A) int', (meter, list, item) =>
      elements(list).findLastIndex((element) => equals(element, item, meter)),
    ),
  ],
};

/** The lists extension, version 3: `slice`, `flatten`, `sort`, `sortBy`, `distinct`, `reverse`, `lists.range`. */
export const listsLibrary: Library = {
  name: 'cel.lib.ext.lists',
  macros: [sortByMacro()],
  overloads: [
    overload<[List, number, number]>('list(T).slice(int, int) list(T)', (_, list, start, end) =>
      slice(list, start, end),
    ),
    overload<[List]>('list(list(T)).flatten() list(T)', (meter, list) => flatten(meter, list, 1)),
    overload<[List, number]>('list(dyn).flatten(int) list(dyn)', flatten),
    ...forEach(comparable, (type) =>
      overload<[List]>(`list(${type}).sort() list(${type})`, (meter, list) => sortBy(meter, list, list)),
    ),
    ...forEach(comparable, (type) =>
      overload<[List, List]>(`list(T).@sortByAssociatedKeys(list(${type})) list(T)`, sortBy),
    ),
    overload<[number]>('::lists.range(int) list(int)', (meter, size) => range(meter, size)),
    overload<[List]>('list(T).reverse() list(T)', (_, list) => [...elements(list)].reverse()),
    overload<[List]>('list(T).distinct() list(T)', distinct),
  ],
};

function forEach(types: readonly string[], make: (type: string) => Overload): readonly Overload[] {
  return types.map(make);
}

function isSorted(meter: Meter, list: List): boolean {
  const all = elements(list);
  return all.every((element, i) => i === 0 || !(compare(all[i - 1]!, element, meter) > 0));
}

function extreme(meter: Meter, list: List, how: { readonly name: string; readonly sign: 1 | -1 }): CelValue {
  const [first, ...rest] = elements(list);
  if (first === undefined) return fail(`${how.name} called on empty list`);
  return rest.reduce((best, element) => (compare(element, best, meter) * how.sign > 0 ? element : best), first);
}

function slice(list: List, start: number, end: number): readonly CelValue[] {
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0 || end < 0) return fail(`${call}, negative indexes not supported`);
  if (start > end) return fail(`${call}, start index must be less than or equal to end index`);
  if (list.length < end) return fail(`${call}, list is length ${list.length}`);
  return elements(list).slice(start, end);
}

function flatten(meter: Meter, list: List, depth: number): readonly CelValue[] {
  if (depth < 0) return fail('level must be non-negative');
  meter.charge(list.length);
  return elements(list).flatMap((element) =>
    isList(element) && depth > 0 ? flatten(meter, element, depth - 1) : [element],
  );
}

function sortBy(meter: Meter, list: List, keys: List): readonly CelValue[] {
  const [values, by] = [elements(list), elements(keys)];
  const first = by[0];
  if (first === undefined) return values;
  const { kind } = typeOfValue(first);
  if (by.some((key) => typeOfValue(key).kind !== kind)) return fail('list elements must have the same type');
  meter.charge(values.length * Math.ceil(Math.log2(values.length + 1)));
  const order = values.map((_, i) => i).sort((i, j) => compare(by[i]!, by[j]!, meter));
  return order.map((i) => values[i]!);
}

function range(meter: Meter, size: number | bigint): readonly number[] {
  meter.charge(Math.max(0, Number(size)));
  return Array.from({ length: Math.max(0, Number(size)) }, (_, i) => i);
}

function distinct(meter: Meter, list: List): readonly CelValue[] {
  const unique: CelValue[] = [];
  for (const element of elements(list)) {
    meter.charge(unique.length);
    if (!unique.some((other) => equals(element, other, meter))) unique.push(element);
  }
  return unique;
}

/**
 * Expands `list.sortBy(name, key)`: binds the list to a variable, maps it to a list of keys, and sorts the list by these
 * keys.
 */
function sortByMacro(): Macro {
  return {
    name: 'sortBy',
    args: 2,
    member: true,
    expand(context: MacroContext, { target, args }): Expr {
      if (target!.kind === 'const' || target!.kind === 'map' || target!.kind === 'struct') {
        const message = 'sortBy can only be applied to a list, identifier, comprehension, call or select expression';
        return context.report(target!, message);
      }
      const { nodes, offset } = context;
      const name = `@sortBy${nodes.count}`;
      const keys = mapMacro(context, { target: nodes.ident(offset, name), args });
      const sorted = nodes.method(offset, nodes.ident(offset, name), { fn: '@sortByAssociatedKeys', args: [keys] });
      return bindTo(context, name, { value: target!, body: sorted });
    },
  };
}
