import { KubewrightError } from '../errors/kubewright-error.ts';
import { quote } from '../text/quote.ts';

/**
 * Thrown for text that is not a duration. The message matches Go's.
 *
 * @example
 * ```ts
 * try {
 *   parseDurationMs('5 minutes');
 * } catch (error) {
 *   if (error instanceof KubewrightError && error.code === 'KW1031') console.error(`spec.timeout: ${error.message}`);
 *   else throw error;
 * }
 * ```
 */
class DurationError extends KubewrightError {
  override readonly name = 'DurationError';
  readonly code = 'KW1031';
}

const units: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1000n],
  ['µs', 1000n],
  ['μs', 1000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);
const max = 2n ** 63n;

/**
 * Parses a duration in Go's notation (`1h30m`, `-1.5s`, `300ms`) and returns nanoseconds.
 *
 * @throws {@link DurationError} with Go's message.
 */
export function parseDuration(text: string): bigint {
  if (text.length > 256) throw new DurationError({ what: `time: invalid duration ${quote(`${text.slice(0, 64)}…`)}` });
  const negative = text.startsWith('-');
  let rest = text.replace(/^[-+]/, '');
  if (rest === '0') return 0n;
  if (rest === '') throw new DurationError({ what: `time: invalid duration ${quote(text)}` });
  let total = 0n;
  while (rest !== '') {
    const match = /^(\d*)(?:\.(\d*))?([^\d.]*)/.exec(rest);
    const [all = '', whole = '', fraction = '', unit = ''] = match ?? [];
    if (whole === '' && fraction === '') throw new DurationError({ what: `time: invalid duration ${quote(text)}` });
    if (unit === '') throw new DurationError({ what: `time: missing unit in duration ${quote(text)}` });
    const scale = units.get(unit);
    if (scale === undefined)
      throw new DurationError({ what: `time: unknown unit ${quote(unit)} in duration ${quote(text)}` });
    // Go truncates fractions of a nanosecond.
    total += BigInt(`0${whole}`) * scale + (BigInt(`0${fraction}`) * scale) / 10n ** BigInt(fraction.length);
    if (total > max) throw new DurationError({ what: `time: invalid duration ${quote(text)}` });
    rest = rest.slice(all.length);
  }
  if (!negative && total === max) throw new DurationError({ what: `time: invalid duration ${quote(text)}` });
  return negative ? -total : total;
}

/**
 * Parses a duration in Go's notation and returns milliseconds. @throws {@link DurationError}
 *
 * @example
 * ```ts
 * const timeoutMs = parseDurationMs('1m30s'); // 90000
 * ```
 */
export function parseDurationMs(text: string): number {
  return Number(parseDuration(text)) / 1e6;
}

/** Formats nanoseconds as Go does: `1h30m0s`, `1.5s`, `300ms`, `0s`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  const sign = nanoseconds < 0n ? '-' : '';
  const amount = nanoseconds < 0n ? -nanoseconds : nanoseconds;
  if (amount < 1000n) return `${sign}${amount}ns`;
  if (amount < 1_000_000n) return `${sign}${decimals(amount, 3)}µs`;
  if (amount < 1_000_000_000n) return `${sign}${decimals(amount, 6)}ms`;
  const minutes = amount / 60_000_000_000n;
  const seconds = decimals(amount % 60_000_000_000n, 9);
  if (minutes === 0n) return `${sign}${seconds}s`;
  return minutes < 60n ? `${sign}${minutes}m${seconds}s` : `${sign}${minutes / 60n}h${minutes % 60n}m${seconds}s`;
}

/**
 * Formats milliseconds as a Go duration.
 *
 * @example
 * ```ts
 * const text = formatDurationMs(90_000); // 1m30s
 * ```
 */
export function formatDurationMs(ms: number): string {
  return formatDuration(BigInt(Math.round(ms * 1e6)));
}

/** Formats `amount / 10^digits` without trailing zeros. */
function decimals(amount: bigint, digits: number): string {
  const text = amount.toString().padStart(digits + 1, '0');
  const fraction = text.slice(-digits).replace(/0+$/, '');
  const whole = text.slice(0, -digits);
  return fraction === '' ? whole : `${whole}.${fraction}`;
}
