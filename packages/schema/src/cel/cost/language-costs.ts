import { patternCost, traversalCost } from './library-costs.ts';
import { type Call, type CallCost, sizeOf } from './operand.ts';
import { capped, exactly, plus, type Span, scaled, times, unbounded } from './span.ts';

const one: CallCost = { cost: exactly(1) };

/**
 * Returns the cost of a call to a function of the language itself: computed from sizes for some functions, otherwise 1.
 */
export function languageCost(call: Call): CallCost {
  const { name, target, args, overload } = call;
  switch (name) {
    case 'format':
      return { cost: scaled(sizeOf(target!), traversalCost) };
    case 'bytes':
      return converted(call, 'string', (size) => ({ min: size.min, max: capped(size.max * 4) }));
    case 'string':
      return converted(call, 'bytes', (size) => ({ min: Math.floor(size.min / 4), max: size.max }));
    case 'strings.quote':
      return converted(call, 'string', quoted);
    case 'startsWith':
    case 'endsWith':
      return { cost: scaled(sizeOf(args[0]!), traversalCost) };
    case '@in':
      return overload.params[1]?.kind === 'list' ? { cost: sizeOf(args[1]!) } : one;
    case 'matches':
      return target === undefined ? one : { cost: matched(sizeOf(target), sizeOf(args[0]!)) };
    case 'contains':
      return { cost: times(scaled(sizeOf(target!), traversalCost), scaled(sizeOf(args[0]!), traversalCost)) };
    case '_+_':
      return concatenated(call);
    case '_==_':
    case '_!=_':
      return { cost: compared(call) };
    case '_<_':
    case '_<=_':
    case '_>_':
    case '_>=_':
      return isText(call) ? { cost: compared(call) } : one;
    default:
      return one;
  }
}

function converted({ overload, args }: Call, from: string, grown: (size: Span) => Span): CallCost {
  if (overload.params[0]?.kind !== from) return one;
  const size = sizeOf(args[0]!);
  return { cost: scaled(size, traversalCost), size: grown(size) };
}

/** Returns the size of a quoted string. For an unbounded size, upstream's 64-bit `size * 2 + 2` overflows to 0. */
function quoted(size: Span): Span {
  return { min: size.min + 2, max: size.max === unbounded ? 0 : size.max * 2 + 2 };
}

function matched(text: Span, pattern: Span): Span {
  return times(scaled(plus(text, exactly(1)), traversalCost), scaled(pattern, patternCost));
}

function concatenated(call: Call): CallCost {
  const { overload, args } = call;
  if (!isText(call) && overload.params[0]?.kind !== 'list') return one;
  const size = plus(sizeOf(args[0]!), sizeOf(args[1]!));
  return { cost: isText(call) ? scaled(size, traversalCost) : exactly(1), size };
}

function isText({ overload }: Call): boolean {
  const kind = overload.params[0]?.kind;
  return kind === 'string' || kind === 'bytes';
}

function compared({ args }: Call): Span {
  const max = Math.min(sizeOf(args[0]!).max, sizeOf(args[1]!).max);
  return scaled({ min: max > 0 ? 1 : 0, max }, traversalCost);
}
