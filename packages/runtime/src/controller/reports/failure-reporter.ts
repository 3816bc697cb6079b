import type { Clock } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { LeaderElectionError } from '../../leader-election/leader-election-error.ts';
import { LineLogger } from '../../log/line-logger.ts';
import { logEvents } from '../../log/log-events.ts';
import type { Logger } from '../../log/logger.ts';
import type { ReconcileEvents } from '../../recorder/reconcile-events.ts';
import { explainUnreachable } from '../../webhook/unreachable-webhook-error.ts';

/** Minimum interval between human-readable log lines about the same failure of a key, in milliseconds. */
const reportAgainMs = 1_000;
const maxShortLength = 160;

/** A failed reconcile. */
export interface ReconcileFailure {
  readonly error: unknown;
  readonly log: Logger;
  /** Log message, in controller-runtime's words. */
  readonly message: string;
  /** Delay of the next retry, in milliseconds; undefined if the key is not retried until an object changes. */
  readonly retryInMs: number | undefined;
  readonly events: ReconcileEvents;
}

interface Trouble {
  readonly message: string;
  times: number;
  reportedMs: number;
}

/**
 * Reports failed reconciles. Machine-readable logs get one line per failure. Human-readable logs get the full error once, then an
 * occasional short line while the key keeps failing the same way, and one line when it recovers. The object gets an event for the
 * first of several equal failures.
 */
export class FailureReporter {
  readonly #clock: Clock;
  readonly #recordsEvents: boolean;
  /** Keys whose last reconcile failed. */
  readonly #troubles = new Map<string, Trouble>();

  constructor(options: { readonly clock: Clock; readonly recordsEvents: boolean }) {
    this.#clock = options.clock;
    this.#recordsEvents = options.recordsEvents;
  }

  /** Reports a failure. */
  failed(key: string, failure: ReconcileFailure): void {
    const { log } = failure;
    const error = explainUnreachable(failure.error);
    const message = error instanceof Error ? error.message : String(error);
    const known = this.#troubles.get(key);
    const nowMs = this.#clock.monotonic();
    if (known?.message !== message) {
      this.#troubles.set(key, { message, times: 1, reportedMs: nowMs });
      log.error(failure.message, { event: logEvents.reconcileFailed, error });
      this.#record(message, failure);
      return;
    }
    known.times++;
    if (!isForPeople(log)) log.error(failure.message, { event: logEvents.reconcileFailed, error });
    else if (nowMs - known.reportedMs >= reportAgainMs || (failure.retryInMs ?? 0) >= reportAgainMs) {
      known.reportedMs = nowMs;
      log.error('still failing', {
        event: logEvents.reconcileStillFailing,
        error: short(message),
        times: known.times,
        nextTry: nextTryOf(failure),
      });
    }
  }

  /** Reports whether the last reconcile of the key failed. */
  isTroubled(key: string): boolean {
    return this.#troubles.has(key);
  }

  /** Records a successful reconcile; reports nothing for an object that was deleted. */
  succeeded(key: string, { log, isThere }: { readonly log: Logger; readonly isThere: boolean }): void {
    const known = this.#troubles.get(key);
    if (!known) return;
    this.#troubles.delete(key);
    if (isThere && isForPeople(log))
      log.info('recovered', { event: logEvents.reconcileRecovered, failures: known.times });
  }

  /** Drops a key that now belongs to another replica. */
  forget(key: string): void {
    this.#troubles.delete(key);
  }

  #record(message: string, { error, events }: ReconcileFailure): void {
    // The reconcile has already recorded a more specific warning.
    if (!this.#recordsEvents || events.object === undefined || events.hasWarned || isElsewhere(error)) return;
    events.record({ type: 'Warning', reason: 'ReconcileError', action: 'Reconcile', note: message });
  }
}

/**
 * Reports whether the failure is unrelated to the object: the server is unreachable and accepts no events, or another
 * replica is now the leader.
 */
function isElsewhere(error: unknown): boolean {
  const each = error instanceof Error && error.cause instanceof TransportError ? error.cause : error;
  return each instanceof TransportError || each instanceof LeaderElectionError;
}

function isForPeople(log: Logger): boolean {
  return log instanceof LineLogger && log.isForPeople;
}

function short(message: string): string {
  return message.length > maxShortLength ? `${message.slice(0, maxShortLength)}…` : message;
}

function nextTryOf({ retryInMs }: ReconcileFailure): string {
  if (retryInMs === undefined) return 'on the next event';
  return retryInMs < 1_000 ? `in ${Math.round(retryInMs)} ms` : `in ${Math.round(retryInMs / 100) / 10} s`;
}
