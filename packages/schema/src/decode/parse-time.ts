import { DecodeError } from './decode-error.ts';

const seconds = '2006-01-02T15:04:05Z07:00';
const micros = '2006-01-02T15:04:05.000000Z07:00';
const elements: readonly (readonly [layout: string, pattern: RegExp])[] = [
  ['2006', /^\d{4}/],
  ['-', /^-/],
  ['01', /^\d\d/],
  ['-', /^-/],
  ['02', /^\d\d/],
  ['T', /^T/],
  ['15', /^\d\d/],
  [':', /^:/],
  ['04', /^\d\d/],
  [':', /^:/],
  ['05', /^\d\d/],
];
const ranges: Readonly<Record<string, readonly [name: string, min: number, max: number]>> = {
  '01': ['month', 1, 12],
  '02': ['day', 1, 31],
  '15': ['hour', 0, 23],
  '04': ['minute', 0, 59],
  '05': ['second', 0, 59],
};

/**
 * Parses a `Time` (`2006-01-02T15:04:05Z`; fractions are dropped) or a `MicroTime` (the fraction must have six digits), and
 * formats it in UTC, as the API server stores it.
 *
 * @throws {@link DecodeError} with Go's message, e.g. `parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as
 * "2006"`
 */
export function normalizeTime(text: string, precision: 'seconds' | 'micros'): string {
  if (canonical[precision].test(text) && text.slice(5, 7) <= '12' && text.slice(8, 10) <= '28') return text;
  const layout = precision === 'micros' ? micros : seconds;
  const quoted = JSON.stringify(text);
  let rest = text;
  const parts: number[] = [];
  const cannot = (element: string): never => {
    throw new DecodeError(
      `parsing time ${quoted} as "${layout}": cannot parse ${JSON.stringify(rest)} as "${element}"`,
    );
  };
  for (const [element, pattern] of elements) {
    const match = pattern.exec(rest)?.[0] ?? cannot(element);
    const range = ranges[element];
    if (range !== undefined && (Number(match) < range[1] || Number(match) > range[2])) {
      throw new DecodeError(`parsing time ${quoted}: ${range[0]} out of range`);
    }
    if (element.length > 1) parts.push(Number(match));
    rest = rest.slice(match.length);
  }
  const fraction = (precision === 'micros' ? /^\.\d{6}/ : /^[.,]\d+/).exec(rest)?.[0] ?? '';
  if (precision === 'micros' && fraction === '') cannot('.000000');
  rest = rest.slice(fraction.length);
  const zone = /^(?:Z|[+-]\d\d:\d\d)/.exec(rest)?.[0] ?? cannot('Z07:00');
  if (rest.length > zone.length) {
    throw new DecodeError(`parsing time ${quoted}: extra text: ${JSON.stringify(rest.slice(zone.length))}`);
  }
  return toUtc(parts, { zone, fraction: precision === 'micros' ? fraction : '', quoted });
}

const canonical = {
  seconds: /^[1-9]\d{3}-[01]\d-[0-2]\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/,
  micros: /^[1-9]\d{3}-[01]\d-[0-2]\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/,
};

function toUtc(
  parts: readonly number[],
  { zone, fraction, quoted }: { readonly zone: string; readonly fraction: string; readonly quoted: string },
): string {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1) throw new DecodeError(`parsing time ${quoted}: day out of range`);
  const sign = zone.startsWith('-') ? 1 : -1;
  const offset = zone === 'Z' ? 0 : sign * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6)));
  date.setUTCHours(hour, minute + offset, second);
  return `${date.toISOString().slice(0, 19)}${fraction}Z`;
}
