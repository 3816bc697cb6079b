import type { Clock } from '@kubewright/apimachinery';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';

/**
 * Tracks reconciles that keep keys from their new owners; logs each of these reconciles once when it takes too long.
 */
export class DelayedHandovers {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #limitMs: number;
  #since: ReadonlyMap<string, number> = new Map();
  readonly #reported = new Set<string>();

  constructor(options: { readonly clock: Clock; readonly log: Logger; readonly limitMs: number }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#limitMs = options.limitMs;
  }

  /** Sets the keys whose handover is currently delayed. */
  update(keys: readonly string[]): void {
    const now = this.#clock.monotonic();
    this.#since = new Map(keys.map((key) => [key, this.#since.get(key) ?? now]));
    for (const [key, sinceMs] of this.#since) {
      if (this.#reported.has(key) || now - sinceMs < this.#limitMs) continue;
      this.#reported.add(key);
      this.#log.warn('a running reconcile delays the handover of the key to another replica', {
        event: logEvents.keyHandoverDelayed,
        key,
        heldMs: Math.round(now - sinceMs),
      });
    }
    for (const key of this.#reported) {
      if (this.#since.has(key)) continue;
      this.#reported.delete(key);
      this.#log.info('the reconcile has ended; handing over the key', { event: logEvents.keyHandoverDone, key });
    }
  }

  /** Describes, for `/readyz`, the keys whose handover is delayed for too long. */
  get fault(): string | undefined {
    const now = this.#clock.monotonic();
    const late = [...this.#since].filter(([, sinceMs]) => now - sinceMs >= this.#limitMs);
    const [first] = late;
    if (!first) return undefined;
    const [key, sinceMs] = first;
    const more = late.length > 1 ? ` (and ${late.length - 1} more)` : '';
    return `the reconcile of ${key}${more} has delayed the handover to another replica for ${Math.round((now - sinceMs) / 1000)} s; pass ctx.signal to every call that the reconcile awaits, or lower reconcileTimeoutMs`;
  }
}
