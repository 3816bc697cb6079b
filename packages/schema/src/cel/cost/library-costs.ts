import type { CelType } from '../types/cel-type.ts';
import { type Call, type CallCost, type Operand, sizeInCall } from './operand.ts';
import { anySize, capped, exactly, plus, type Span, scaled, times, unbounded } from './span.ts';
import { ValuePath } from './value-path.ts';

/** Cost of reading one character of a string. */
export const traversalCost = 0.1;
/** Cost per character of a pattern, multiplied by the cost of reading the string. */
export const patternCost = 0.25;
export const newListCost = 10;
export const newMapCost = 30;
export const newStructCost = 40;

/** Returns the cost of a call; undefined if {@link languageCost} applies. */
type Estimate = (call: Call) => CallCost | undefined;

/** Cost estimates for the functions of Kubernetes' libraries and of the CEL extensions, by function name. */
export const libraryCosts: ReadonlyMap<string, Estimate> = new Map<string, Estimate>([
  ['check', () => ({ cost: exactly(350_000) })],
  ['fieldSelector', selector],
  ['labelSelector', selector],
  ...each(['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'], comparedElements),
  ['url', (call) => readArgument(call, { keepsSize: true })],
  ...each(['lowerAscii', 'upperAscii', 'substring', 'trim'], readTarget),
  ['replace', replaced],
  ['split', split],
  ['join', joined],
  ...each(['find', 'findAll'], searched),
  ...each(['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'], (call) => readArgument(call)),
  ['ip', (call) => (call.target === undefined ? readArgument(call) : undefined)],
  ['ip.isCanonical', (call) => readArgument(call, { times: 2 })],
  ['containsIP', (call) => addresses(call, nothingMore)],
  ['containsCIDR', (call) => addresses(call, plus(scaled(address, traversalCost), exactly(1)))],
  ['validate', (call) => ({ cost: scaled(scaled(sizeInCall(call, call.args[0]!), traversalCost), 128 * patternCost) })],
  ['_==_', sameObjects],
  ['sets.contains', (call) => pairs(call, 1)],
  ['sets.intersects', (call) => pairs(call, 1)],
  ['sets.equivalent', (call) => pairs(call, 2)],
  ['slice', sliced],
  ['lists.range', ({ args }) => newList(exactly(literalInt(args[0], unbounded)))],
  ['reverse', (call) => (call.overload.result.kind === 'list' ? newList(sizeInCall(call, call.target!)) : undefined)],
  [
    'flatten',
    (call) => newList(sizeInCall(call, call.target!), call.args.length === 0 ? 1 : literalInt(call.args[0], unbounded)),
  ],
  ['distinct', (call) => newList(squared(sizeInCall(call, call.target!)), 2)],
  ['sort', (call) => sorted(call, call.target!)],
  ['@sortByAssociatedKeys', (call) => sorted(call, call.args[0]!)],
]);

/** Size of an IP address in bytes: IPv4 to IPv6. */
const address: Span = { min: 4, max: 16 };
const nothingMore = exactly(0);

function each(names: readonly string[], estimate: Estimate): readonly (readonly [string, Estimate])[] {
  return names.map((name) => [name, estimate] as const);
}

function selector(call: Call): CallCost | undefined {
  const length = sizeInCall(call, call.args[0]!);
  // Assumes the maximum number of requirements: each takes at least two characters and creates a list and a structure.
  const requirements = scaled(scaled(length, 0.5), newListCost + newStructCost);
  return { cost: plus(plus(exactly(newListCost), scaled(length, traversalCost)), requirements) };
}

function comparedElements(call: Call): CallCost | undefined {
  const { target } = call;
  if (target === undefined) return undefined;
  const size = sizeInCall(call, target);
  const element = target.type.params[0];
  if (element === undefined) return { cost: scaled(size, traversalCost) };
  if (!isText(element)) return { cost: times(size, exactly(1)) };
  return { cost: times(size, plus(exactly(1), scaled(elementSize(call, target), traversalCost))) };
}

function elementSize(call: Call, { path }: Operand): Span {
  const elements = path && ValuePath.extend(path.detached, '@items');
  return call.sizeAt(elements) ?? anySize;
}

function isText({ kind }: CelType): boolean {
  return kind === 'string' || kind === 'bytes';
}

function readArgument(call: Call, how: { readonly times?: number; readonly keepsSize?: boolean } = {}): CallCost {
  const size = sizeInCall(call, call.args[0]!);
  const cost = scaled(size, (how.times ?? 1) * traversalCost);
  return how.keepsSize === true ? { cost, size } : { cost };
}

function readTarget(call: Call): CallCost | undefined {
  if (call.target === undefined) return undefined;
  const size = sizeInCall(call, call.target);
  return { cost: scaled(size, traversalCost), size };
}

function replaced(call: Call): CallCost | undefined {
  const { target, args } = call;
  if (target === undefined) return undefined;
  const text = sizeInCall(call, target);
  const from = sizeInCall(call, args[0]!);
  const to = sizeInCall(call, args[1]!);
  const longest = replacedLength(text.max, { from: from.min, to: to.max, keepsLength: to.max <= from.min });
  const shortest = replacedLength(text.min, { from: from.max, to: to.min, keepsLength: from.max <= to.min });
  return { cost: scaled(text, 2 * traversalCost), size: { min: shortest, max: longest } };
}

/**
 * Returns the maximum (or minimum) length after a replacement. Replacing the empty string inserts text before each
 * character and at the end. If the replacement cannot be longer (or shorter), the length stays the same.
 */
function replacedLength(
  length: number,
  by: { readonly from: number; readonly to: number; readonly keepsLength: boolean },
): number {
  if (by.from === 0) return capped(capped(length + 1) * by.to + length);
  return by.keepsLength ? length : capped(Math.ceil(length / by.from) * by.to);
}

function split(call: Call): CallCost | undefined {
  if (call.target === undefined) return undefined;
  const size = sizeInCall(call, call.target);
  return { cost: scaled(size, 2 * traversalCost), size: { min: 0, max: literalInt(call.args[1], size.max) } };
}

function joined(call: Call): CallCost | undefined {
  const { target, args } = call;
  if (target === undefined) return undefined;
  const count = sizeInCall(call, target);
  const [separator] = args;
  const hasElements = target.type.params.length > 0;
  const texts = hasElements ? times(count, elementSize(call, target)) : exactly(0);
  const gaps = { min: Math.max(count.min - 1, 0), max: Math.max(count.max - 1, 0) };
  const size = separator === undefined ? texts : plus(texts, times(sizeInCall(call, separator), gaps));
  return { cost: scaled(size, traversalCost), size };
}

function searched(call: Call): CallCost | undefined {
  const { target, args } = call;
  if (target === undefined) return undefined;
  const size = sizeInCall(call, target);
  const pattern = scaled(sizeInCall(call, args[0]!), patternCost);
  return { cost: times(scaled(plus(size, exactly(1)), traversalCost), pattern), size: { min: 0, max: size.max } };
}

function addresses(call: Call, more: Span): CallCost {
  const compared = plus(scaled(plus(address, address), traversalCost), more);
  const [other] = call.args;
  if (call.overload.params.at(-1)?.kind !== 'string') return { cost: compared };
  return { cost: plus(compared, scaled(sizeInCall(call, other!), traversalCost)) };
}

const comparedAtOnce = new Set([
  'kubernetes.Quantity',
  'kubernetes.Semver',
  'net.IP',
  'net.CIDR',
  'kubernetes.authorization.Authorizer',
  'kubernetes.authorization.PathCheck',
  'kubernetes.authorization.GroupCheck',
  'kubernetes.authorization.ResourceCheck',
  'kubernetes.authorization.Decision',
]);

function sameObjects({ args: [left, right] }: Call): CallCost | undefined {
  const { name } = left!.type;
  if (right!.type.name !== name) return undefined;
  if (comparedAtOnce.has(name)) return { cost: exactly(1) };
  if (name === 'kubernetes.NamedFormat') return { cost: scaled({ min: 1, max: 64 }, traversalCost) };
  if (name === 'kubernetes.URL') return { cost: scaled({ min: 1, max: right!.size?.max ?? 1 }, traversalCost) };
  return undefined;
}

function pairs(call: Call, factor: number): CallCost {
  const [left, right] = call.args;
  const product = times(sizeInCall(call, left!), sizeInCall(call, right!));
  return { cost: plus(scaled(product, factor), exactly(1)) };
}

function sliced(call: Call): CallCost {
  const { max } = sizeInCall(call, call.target!);
  const length = literalInt(call.args[1], max) - literalInt(call.args[0], 0);
  // Upstream uses unsigned integers: if the end is before the start, the length wraps around to a huge number;
  // reproduce that.
  return newList(exactly(length < 0 ? unbounded : length));
}

function sorted(call: Call, keys: Operand): CallCost {
  const type = call.overload.params.at(-1)?.params[0];
  const factor = type !== undefined && isText(type) ? 2 + traversalCost : 2;
  return newList(squared(sizeInCall(call, keys)), factor);
}

function newList(size: Span, factor = 1): CallCost {
  return { cost: plus(plus(scaled(size, factor), exactly(1)), exactly(newListCost)), size };
}

function squared(size: Span): Span {
  return times(size, size);
}

function literalInt(operand: Operand | undefined, otherwise: number): number {
  if (operand?.expr.kind !== 'const') return otherwise;
  const { value } = operand.expr;
  return typeof value === 'number' || typeof value === 'bigint' ? Math.max(Number(value), 0) : otherwise;
}
