/** A local date and time in a time zone. Months count from 1, weekdays from 0 (Sunday). */
export interface ZonedTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
}

const quarterMs = 900_000;

/** Converts between instants and the local times of a time zone, using Node.js's time zone database. */
export class TimeZone {
  /** Formats instants with the zone's offset; undefined for UTC. */
  readonly #format: Intl.DateTimeFormat | undefined;
  /** The latest offset, cached for a quarter of an hour, because offsets change only on quarter-hour boundaries. */
  #known: { readonly quarter: number; readonly offsetMs: number } | undefined;

  /**
   * @param name - name in the IANA database, or empty for UTC.
   *
   * @throws Error `unknown time zone NAME`, as Go's `LoadLocation` does.
   */
  constructor(name: string) {
    try {
      if (name !== '' && name !== 'UTC') {
        this.#format = new Intl.DateTimeFormat('en', { timeZone: name, timeZoneName: 'longOffset' });
      }
    } catch (cause) {
      throw new Error(`unknown time zone ${name}`, { cause });
    }
  }

  /** Returns the local time at an instant. */
  at(ms: number): ZonedTime {
    const local = new Date(ms + this.offsetMs(ms));
    return {
      year: local.getUTCFullYear(),
      month: local.getUTCMonth() + 1,
      day: local.getUTCDate(),
      hour: local.getUTCHours(),
      minute: local.getUTCMinutes(),
      second: local.getUTCSeconds(),
      weekday: local.getUTCDay(),
    };
  }

  /**
   * Returns the instant of a local time, ignoring the weekday. Fields may be out of range: January 32 is February 1. A local time
   * that a transition skips or repeats resolves as in Go's `time.Date`.
   */
  instantOf({ year, month, day, hour, minute, second }: ZonedTime): number {
    const asUtc = Date.UTC(year, month - 1, day, hour, minute, second);
    const offset = this.offsetMs(asUtc);
    return offset === 0 ? asUtc : asUtc - this.offsetMs(asUtc - offset);
  }

  /** Returns the zone's offset from UTC at an instant, in milliseconds; positive east of UTC. */
  offsetMs(ms: number): number {
    if (!this.#format) return 0;
    const quarter = Math.floor(ms / quarterMs);
    if (this.#known?.quarter === quarter) return this.#known.offsetMs;
    const offsetMs = parseOffset(this.#format, ms);
    this.#known = { quarter, offsetMs };
    return offsetMs;
  }

  /** Formats an instant in RFC 3339 with this zone's offset, as in `2026-03-29T03:30:00+02:00`. */
  format(ms: number): string {
    const offsetMs = this.offsetMs(ms);
    const local = new Date(ms + offsetMs).toISOString().slice(0, 19);
    if (offsetMs === 0) return `${local}Z`;
    const minutes = Math.abs(offsetMs) / 60_000;
    const two = (count: number): string => String(Math.floor(count)).padStart(2, '0');
    return `${local}${offsetMs < 0 ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`;
  }
}

function parseOffset(format: Intl.DateTimeFormat, ms: number): number {
  const text = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes = '0', seconds = '0'] = /([+-])(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?$/.exec(text) ?? [];
  if (sign === undefined) return 0;
  const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000;
  return sign === '-' ? -size : size;
}
