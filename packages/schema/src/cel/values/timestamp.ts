import { CelDuration } from './duration.ts';

/** 0001-01-01T00:00:00Z */
const minSeconds = -62_135_596_800;
/** 9999-12-31T23:59:59Z */
const maxSeconds = 253_402_300_799;
const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:[.,](\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** A point in time between the years 1 and 9999, with nanosecond precision. */
export class CelTimestamp {
  /** Seconds since 1970-01-01T00:00:00Z, rounded down. */
  readonly seconds: number;
  /** 0 … 999,999,999 */
  readonly nanos: number;

  constructor(seconds: number, nanos: number) {
    this.seconds = seconds;
    this.nanos = nanos;
  }

  /** Creates a timestamp from nanoseconds since 1970; returns undefined if the time is out of range. */
  static ofNanos(nanos: bigint): CelTimestamp | undefined {
    const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
    return CelTimestamp.of(Number((nanos - rest) / 1_000_000_000n), Number(rest));
  }

  static of(seconds: number, nanos: number): CelTimestamp | undefined {
    return seconds < minSeconds || seconds > maxSeconds ? undefined : new CelTimestamp(seconds, nanos);
  }

  /** Parses RFC 3339; returns undefined if the text is invalid or the time is out of range. */
  static parse(text: string): CelTimestamp | undefined {
    const match = rfc3339.exec(text);
    if (match === null) return undefined;
    const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const local = epochSeconds(year, month, day);
    if (local === undefined || hour > 23 || minute > 59 || second > 59) return undefined;
    const zone = (Number(match[9] ?? 0) * 60 + Number(match[10] ?? 0)) * 60;
    if (Number(match[9] ?? 0) > 24 || Number(match[10] ?? 0) > 60) return undefined;
    const nanos = Number((match[7] ?? '').slice(0, 9).padEnd(9, '0'));
    const offset = match[8] === '-' ? -zone : zone;
    return CelTimestamp.of(local + hour * 3600 + minute * 60 + second - offset, nanos);
  }

  /** Parses a date without a time (`2006-01-02`) as midnight UTC. */
  static parseDate(text: string): CelTimestamp | undefined {
    const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
    if (match === null) return undefined;
    const seconds = epochSeconds(Number(match[1]), Number(match[2]), Number(match[3]));
    return seconds === undefined ? undefined : CelTimestamp.of(seconds, 0);
  }

  get totalNanos(): bigint {
    return BigInt(this.seconds) * 1_000_000_000n + BigInt(this.nanos);
  }

  /** Returns this time plus a duration; undefined if the result is out of range. */
  plus(duration: CelDuration, sign: 1n | -1n = 1n): CelTimestamp | undefined {
    return CelTimestamp.ofNanos(this.totalNanos + sign * duration.nanos);
  }

  minus(other: CelTimestamp): CelDuration | undefined {
    return CelDuration.of(this.totalNanos - other.totalNanos);
  }

  /** Formats the time as RFC 3339 in UTC, without trailing zeros in the fraction. */
  toString(): string {
    const date = new Date(this.seconds * 1000).toISOString().slice(0, 19);
    const fraction = this.nanos === 0 ? '' : `.${this.nanos.toString().padStart(9, '0').replace(/0+$/, '')}`;
    return `${date}${fraction}Z`;
  }
}

/** Returns midnight UTC of a calendar day, in seconds since 1970; undefined if the day does not exist. */
function epochSeconds(year: number, month: number, day: number): number | undefined {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  return date.getTime() / 1000;
}
