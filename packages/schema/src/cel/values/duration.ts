import { maxInt, minInt } from './int.ts';

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** A duration in nanoseconds that fits in 64 bits, like Go's `time.Duration`. */
export class CelDuration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Creates a duration; returns undefined if the duration does not fit in 64 bits. */
  static of(nanos: bigint): CelDuration | undefined {
    return nanos > maxInt || nanos < minInt ? undefined : new CelDuration(nanos);
  }

  /** Parses Go's notation (`1h30m`, `-1.5s`); returns undefined if the text is invalid. */
  static parse(text: string): CelDuration | undefined {
    const match = /^([+-]?)(.*)$/s.exec(text);
    const body = match?.[2] ?? '';
    if (body === '0') return new CelDuration(0n);
    let total = 0n;
    let at = 0;
    for (const part of body.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy)) {
      const [whole, integer, fraction] = part;
      if (integer === '' && (fraction === undefined || fraction === '')) return undefined;
      const unit = units[part[3]!]!;
      total += BigInt(integer || '0') * unit + fractionOf(fraction ?? '', unit);
      at += whole.length;
    }
    if (at === 0 || at !== body.length) return undefined;
    return CelDuration.of(match?.[1] === '-' ? -total : total);
  }

  /** Formats the duration in seconds: `1.5s`. */
  toString(): string {
    const negative = this.nanos < 0n;
    const abs = negative ? -this.nanos : this.nanos;
    const fraction = (abs % 1_000_000_000n).toString().padStart(9, '0').replace(/0+$/, '');
    return `${negative ? '-' : ''}${abs / 1_000_000_000n}${fraction && `.${fraction}`}s`;
  }
}

function fractionOf(digits: string, unit: bigint): bigint {
  if (digits === '') return 0n;
  const kept = digits.slice(0, 18);
  return (BigInt(kept) * unit) / 10n ** BigInt(kept.length);
}
