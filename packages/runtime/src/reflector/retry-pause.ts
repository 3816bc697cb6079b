import { type Clock, isNotFound, type Random, StatusError, sleep } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import type { Absence } from './absence.ts';
import { Backoff } from './backoff.ts';
import { describeFailure } from './failures.ts';
import type { ServerAvailability } from './server-availability.ts';

/** Interval between log lines about a missing kind, in milliseconds. */
const reportMissingMs = 600_000;
/** The pause of one reflector between a failure and the next attempt. */
export class RetryPause {
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #absence: Absence;
  readonly #availability: ServerAvailability;
  readonly #backoff: Backoff;
  #reportedMissing = { atMs: Number.NEGATIVE_INFINITY, isSure: false };

  constructor(
    options: { readonly clock: Clock; readonly random: Random; readonly log: Logger },
    known: { readonly absence: Absence; readonly availability: ServerAvailability },
  ) {
    this.#clock = options.clock;
    this.#random = options.random;
    this.#log = options.log;
    this.#absence = known.absence;
    this.#availability = known.availability;
    this.#backoff = new Backoff({ clock: options.clock, random: options.random });
  }

  /** Logs a failure and waits before the next attempt, or until `signal` is aborted. */
  async after(failure: unknown, signal: AbortSignal): Promise<void> {
    const retryAfterMs = failure instanceof StatusError ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
    const ms = isNotFound(failure) ? this.#missingMs() : Math.max(this.#backoff.next(), retryAfterMs);
    if (this.#isReportDue(failure)) {
      const { message, level } = describeFailure(failure, { isAbsent: this.#absence.isSure });
      // An unreachable server is logged once, not for each kind.
      const isReported = this.#availability.failed(this, failure);
      this.#log[isReported ? 'debug' : level](message, {
        event: logEvents.watchFailed,
        error: failure,
        retryInMs: Math.round(ms),
      });
    }
    try {
      await sleep(this.#clock, { ms, signal });
    } catch {
      // The wait was aborted; run() checks the signal next.
    }
  }

  /**
   * Returns the delay before the next list of a missing kind: a newly installed kind must be followed within two
   * seconds, and a 404 costs the server almost nothing.
   */
  #missingMs(): number {
    return 1_000 * (1 + this.#random.next());
  }

  #isReportDue(failure: unknown): boolean {
    if (!isNotFound(failure)) return true;
    const atMs = this.#clock.monotonic();
    const { isSure } = this.#absence;
    if (isSure === this.#reportedMissing.isSure && atMs - this.#reportedMissing.atMs < reportMissingMs) return false;
    this.#reportedMissing = { atMs, isSure };
    return true;
  }
}
