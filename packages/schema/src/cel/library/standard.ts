import { type Pattern, PatternError } from '../../pattern/pattern.ts';
import { fail } from '../errors.ts';
import { standardMacros } from '../syntax/loop-macros.ts';
import * as t from '../types/cel-type.ts';
import { encodeUtf8 } from '../values/bytes.ts';
import { type Calendar, calendarOf } from '../values/calendar.ts';
import { toBool, toDouble, toDuration, toInt, toText, toTimestamp, toUint } from '../values/convert.ts';
import type { CelDuration } from '../values/duration.ts';
import type { CelList } from '../values/list.ts';
import type { CelMap } from '../values/map.ts';
import { codePointLength } from '../values/text.ts';
import type { CelTimestamp } from '../values/timestamp.ts';
import { typeOfValue } from '../values/type-of.ts';
import { CelTypeValue } from '../values/type-value.ts';
import type { CelValue } from '../values/value.ts';
import { type CallContext, type Library, type Overload, overload } from './library.ts';

/** The functions of the language itself: operators, conversions, strings, times. */
export const standardLibrary: Library = {
  name: 'cel.std',
  macros: standardMacros,
  types: [
    ['bool', t.boolType],
    ['bytes', t.bytesType],
    ['double', t.doubleType],
    ['google.protobuf.Duration', t.durationType],
    ['google.protobuf.Timestamp', t.timestampType],
    ['int', t.intType],
    ['list', t.listOf(t.dynType)],
    ['map', t.mapOf(t.dynType, t.dynType)],
    ['null_type', t.nullType],
    ['string', t.stringType],
    ['type', t.typeType],
    ['uint', t.uintType],
  ],
  overloads: [...operators(), ...comparisons(), ...conversions(), ...sizes(), ...strings(), ...times()],
};

/**
 * Declares functions for the checker. Their implementations are never called, because the compiler handles these
 * functions directly.
 */
function builtIn(...signatures: string[]): Overload[] {
  return signatures.map((signature) => overload(signature, () => fail('no such overload')));
}

function operators(): Overload[] {
  return [
    ...builtIn('_&&_(bool, bool) bool', '_||_(bool, bool) bool', '!_(bool) bool', '@not_strictly_false(bool) bool'),
    ...builtIn('_?_:_(bool, A, A) A', '_==_(A, A) bool', '_!=_(A, A) bool'),
    ...builtIn('_[_](list(A), int) A', '_[_](map(A, B), A) B', '@in(A, list(A)) bool', '@in(A, map(A, B)) bool'),
    ...builtIn('_+_(bytes, bytes) bytes', '_+_(double, double) double', '_+_(duration, duration) duration'),
    ...builtIn('_+_(duration, timestamp) timestamp', '_+_(timestamp, duration) timestamp', '_+_(int, int) int'),
    ...builtIn('_+_(list(A), list(A)) list(A)', '_+_(string, string) string', '_+_(uint, uint) uint'),
    ...builtIn('_-_(double, double) double', '_-_(duration, duration) duration', '_-_(int, int) int'),
    ...builtIn('_-_(timestamp, duration) timestamp', '_-_(timestamp, timestamp) duration', '_-_(uint, uint) uint'),
    ...['*', '/'].flatMap((op) => ['double', 'int', 'uint'].flatMap((n) => builtIn(`_${op}_(${n}, ${n}) ${n}`))),
    ...builtIn('_%_(int, int) int', '_%_(uint, uint) uint', '-_(double) double', '-_(int) int'),
  ];
}

function comparisons(): Overload[] {
  const numbers = ['int', 'uint', 'double'];
  const pairs = [
    ['bool', 'bool'],
    ...numbers.flatMap((a) => numbers.map((b) => [a, b])),
    ...['string', 'bytes', 'timestamp', 'duration'].map((type) => [type, type]),
  ];
  return ['<', '<=', '>', '>='].flatMap((op) => pairs.flatMap(([a, b]) => builtIn(`_${op}_(${a}, ${b}) bool`)));
}

function conversions(): Overload[] {
  const from = (types: string, to: string, convert: (value: CelValue) => CelValue): Overload[] =>
    types.split(' ').map((type) => overload<[CelValue]>(`${to}(${type}) ${to}`, (_, value) => convert(value)));
  return [
    ...from('bool string', 'bool', toBool),
    ...from('bytes', 'bytes', (value) => value),
    overload<[string]>('bytes(string) bytes', (_, text) => encodeUtf8(text)),
    ...from('double int string uint', 'double', toDouble),
    ...from('duration int string', 'duration', toDuration),
    ...from('int double duration string timestamp uint', 'int', toInt),
    ...from('string bool bytes double duration int timestamp uint', 'string', toText),
    ...from('timestamp int string', 'timestamp', toTimestamp),
    ...from('uint double int string', 'uint', toUint),
    overload<[CelValue]>('dyn(A) dyn', (_, value) => value),
    overload<[CelValue]>('type(A) type(A)', (_, value) => new CelTypeValue(typeOfValue(value))),
  ];
}

function sizes(): Overload[] {
  const both = <T extends CelValue>(type: string, size: (value: T) => number): Overload[] => [
    overload<[T]>(`size(${type}) int`, (_, value) => size(value)),
    overload<[T]>(`${type}.size() int`, (_, value) => size(value)),
  ];
  return [
    ...both<Uint8Array>('bytes', (bytes) => bytes.length),
    ...both<readonly CelValue[] | CelList>('list(A)', (list) => list.length),
    ...both<CelMap>('map(A, B)', (map) => map.size),
    ...both<string>('string', codePointLength),
  ];
}

function strings(): Overload[] {
  return [
    overload<[string, string]>('string.contains(string) bool', (_, text, part) => text.includes(part)),
    overload<[string, string]>('string.endsWith(string) bool', (_, text, end) => text.endsWith(end)),
    overload<[string, string]>('string.startsWith(string) bool', (_, text, start) => text.startsWith(start)),
    overload<[string, string]>('matches(string, string) bool', matches),
    overload<[string, string]>('string.matches(string) bool', matches),
  ];
}

function matches(context: CallContext, text: string, pattern: string): boolean {
  return guardPattern(context, text, pattern).test(text);
}

/**
 * Compiles a pattern and charges for matching it against a string. Reports an invalid pattern as an evaluation error.
 */
export function guardPattern(context: CallContext, text: string, pattern: string): Pattern {
  if (!context.patterns.has(pattern)) context.charge(50 + pattern.length);
  try {
    const compiled = context.patterns.get(pattern);
    // Charge by instructions, because a pattern such as `(a?){1000}` has far more instructions than characters.
    context.charge((1 + text.length) * compiled.size * 0.125);
    return compiled;
  } catch (error) {
    if (error instanceof PatternError) return fail(error.message);
    throw error;
  }
}

function times(): Overload[] {
  const field = (method: string, read: (calendar: Calendar, time: CelTimestamp) => number): Overload[] => [
    overload<[CelTimestamp]>(`timestamp.${method}() int`, (_, time) => read(calendarOf(time), time)),
    overload<[CelTimestamp, string]>(`timestamp.${method}(string) int`, (context, time, zone) => {
      // Looking up a time zone takes about as much time as 100 steps.
      context.charge(100);
      return read(calendarOf(time, zone), time);
    }),
  ];
  const span = (method: string, unit: bigint): Overload =>
    overload<[CelDuration]>(`duration.${method}() int`, (_, duration) => toInt(Number(duration.nanos / unit)));
  return [
    ...field('getFullYear', (calendar) => calendar.year),
    ...field('getMonth', (calendar) => calendar.month),
    ...field('getDayOfYear', (calendar) => calendar.dayOfYear),
    ...field('getDayOfMonth', (calendar) => calendar.day - 1),
    ...field('getDate', (calendar) => calendar.day),
    ...field('getDayOfWeek', (calendar) => calendar.dayOfWeek),
    ...field('getHours', (calendar) => calendar.hours),
    ...field('getMinutes', (calendar) => calendar.minutes),
    ...field('getSeconds', (calendar) => calendar.seconds),
    ...field('getMilliseconds', (_, time) => Math.floor(time.nanos / 1_000_000)),
    span('getHours', 3_600_000_000_000n),
    span('getMinutes', 60_000_000_000n),
    span('getSeconds', 1_000_000_000n),
    span('getMilliseconds', 1_000_000n),
  ];
}
