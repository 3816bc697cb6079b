import { FormatValue } from '../library/format.ts';
import type { Overload } from '../library/library.ts';
import { utf8Length } from '../values/bytes.ts';
import { elementAt, elements, isList } from '../values/list.ts';
import { CelMap } from '../values/map.ts';
import { CelOpaque } from '../values/opaque.ts';
import { codePointLength } from '../values/text.ts';
import type { CelValue } from '../values/value.ts';
import { actualSize } from './actual-size.ts';
import { newListCost, newStructCost, patternCost, traversalCost } from './library-costs.ts';

/** Computes the cost of a call from its arguments, the target first, before the call runs. */
type FromArgs = (...args: readonly CelValue[]) => number;

/** The cost of a call, excluding the evaluation of its arguments: fixed, or computed from the arguments or the result. */
export type ActualCost =
  | number
  | { readonly fromArgs: FromArgs }
  | { readonly fromResult: (result: CelValue) => number };

/**
 * Returns the run-time cost of a call in the units of Kubernetes 1.36.
 *
 * @param overload - the overload that the checker chose; undefined if several match. In that case, the cost is 1 unless
 * the name alone determines it
 */
export function actualCost(name: string, overload: Overload | undefined): ActualCost {
  const byName = costsByName.get(name);
  if (byName !== undefined) return byName;
  return overload === undefined ? 1 : costOfOverload(name, overload);
}

/** Cost of reading a value's characters or elements once. */
const readOnce = (value: CelValue): number => Math.ceil(actualSize(value) * traversalCost);
const readTwice = (value: CelValue): number => Math.ceil(actualSize(value) * 2 * traversalCost);

const costsByName: ReadonlyMap<string, ActualCost> = new Map<string, ActualCost>([
  ['check', 350_000],
  ...each(['fieldSelector', 'labelSelector'], (_, text) => selector(actualSize(text!))),
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], (value) => traversal(value!)),
  ...each(['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'], readArgument),
  ...each(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], readArgument),
  ...each(['replace', 'split', 'ip.isCanonical'], (text) => readTwice(text!)),
  ...each(['find', 'findAll'], (text, pattern) => searched(text!, actualSize(pattern!))),
  ...each(['validate'], validated),
  ['join', { fromResult: readTwice }],
]);

function each(names: readonly string[], fromArgs: FromArgs): readonly (readonly [string, ActualCost])[] {
  return names.map((name) => [name, { fromArgs }] as const);
}

function readArgument(value: CelValue | undefined): number {
  return readOnce(value!);
}

function selector(length: number): number {
  return (
    newListCost + Math.ceil(length * traversalCost) + Math.ceil(Math.ceil(length * 0.5) * (newListCost + newStructCost))
  );
}

/** Returns the cost of reading a whole value. */
function traversal(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(utf8Length(value) * traversalCost);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversalCost);
  if (isList(value)) return elements(value).reduce<number>((sum, element) => sum + traversal(element), 0);
  if (!(value instanceof CelMap)) return 1;
  return value.keys().reduce<number>((sum, key) => sum + traversal(key) + traversal(value.get(key)!), 0);
}

function searched(text: CelValue, patternLength: number): number {
  return Math.ceil((1 + actualSize(text)) * traversalCost) * Math.ceil(patternLength * patternCost);
}

function validated(format: CelValue | undefined, text: CelValue | undefined): number {
  return format instanceof FormatValue ? searched(text!, format.patternLength) : 1;
}

function costOfOverload(name: string, overload: Overload): ActualCost {
  const { params, result } = overload;
  const kind = params[0]?.kind;
  switch (name) {
    case 'startsWith':
    case 'endsWith':
    case 'format':
    case 'strings.quote':
      return { fromArgs: readArgument };
    case 'bytes':
      return kind === 'string' ? { fromArgs: readArgument } : 1;
    case 'string':
      return kind === 'bytes' ? { fromArgs: readArgument } : 1;
    case 'ip':
      return kind === 'string' ? { fromArgs: readArgument } : 1;
    case 'contains':
      return { fromArgs: (text, part) => readOnce(text!) * readOnce(part!) };
    case 'matches':
      return overload.member ? { fromArgs: (text, pattern) => searched(text!, actualSize(pattern!)) } : 1;
    case 'containsIP':
    case 'containsCIDR':
      return { fromArgs: (range, other) => compared(overload, range!, other!) };
    case 'slice':
    case 'lists.range':
    case 'reverse':
      return result.kind === 'list' ? { fromResult: (list) => newList(actualSize(list)) } : 1;
    case 'flatten':
      return { fromArgs: (list, depth) => newList(actualSize(list!) * (depth === undefined ? 1 : Number(depth))) };
    case 'distinct':
    case 'sort':
      return { fromArgs: (list) => comparedWithItself(list!) };
    case '@sortByAssociatedKeys':
      return { fromArgs: (_, keys) => comparedWithItself(keys!) };
    case 'sets.contains':
    case 'sets.intersects':
      return { fromArgs: (a, b) => 1 + actualSize(a!) * actualSize(b!) };
    case 'sets.equivalent':
      return { fromArgs: (a, b) => 1 + 2 * actualSize(a!) * actualSize(b!) };
    default:
      return 1;
  }
}

/**
 * Returns the cost of `containsIP` or `containsCIDR`: comparing the range's bytes twice, masking a CIDR, and parsing a
 * string.
 */
function compared({ name, params }: Overload, range: CelValue, other: CelValue): number {
  const size = actualSize(range);
  const masked = name === 'containsCIDR' ? Math.ceil(size * traversalCost) + 1 : 0;
  const parsed = params[1]?.kind === 'string' ? readOnce(other) : 0;
  return Math.ceil(2 * size * traversalCost) + masked + parsed;
}

function newList(size: number): number {
  return Math.floor(size) + 1 + newListCost;
}

function comparedWithItself(list: CelValue): number {
  if (!isList(list) || list.length === 0) return newList(0);
  const first = elementAt(list, 0);
  const isText = typeof first === 'string' || first instanceof Uint8Array;
  return newList(list.length ** 2 * (2 + (isText ? traversalCost : 0)));
}

/** Returns the cost of `a + b` for strings and bytes. */
export function concatenationCost(a: CelValue, b: CelValue): number {
  return Math.ceil((actualSize(a) + actualSize(b)) * traversalCost);
}

/** Returns the cost of comparing two values, which depends on the size of the smaller value. */
export function comparisonCost(a: CelValue, b: CelValue): number {
  if (typeof a !== 'string' || typeof b !== 'string') {
    return Math.ceil(Math.min(actualSize(a), actualSize(b)) * traversalCost);
  }
  // Fast path: comparing with a string of 1 to 10 characters costs 1.
  const units = Math.min(a.length, b.length);
  if (units <= 10) return units === 0 ? 0 : 1;
  return Math.ceil(Math.min(codePointLength(a), codePointLength(b)) * traversalCost);
}

/** Returns the cost of `a == b`: 1 for types of Kubernetes' libraries, otherwise the {@link comparisonCost}. */
export function equalityCost(a: CelValue, b: CelValue): number {
  return a instanceof CelOpaque ? 1 : comparisonCost(a, b);
}
