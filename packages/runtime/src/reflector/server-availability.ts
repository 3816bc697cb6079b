import type { Clock } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { isWithoutConnection } from './failures.ts';

/** Codes of lost connections; every long-lived connection is lost now and then. */
const connectionLost: ReadonlySet<string> = new Set(['KW2003', 'KW2004']);

/**
 * Tracks whether the API server is reachable, for all lists and watches of one client: an outage is logged once
 * when it begins and once when it ends, not for each kind.
 */
export class ServerAvailability {
  readonly #clock: Clock;
  readonly #log: Logger;
  #lostAtMs: number | undefined;
  /** Reflectors that have lost a connection since the server last responded. */
  readonly #suspecting = new Set<object>();

  constructor(options: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Records that a list or watch failed. Returns true if the server is unreachable, so that the caller need not log it.
   * @param who - the reflector; its second failure without a response in between counts as an outage.
   */
  failed(who: object, error: unknown): boolean {
    const isLost = error instanceof TransportError && connectionLost.has(error.code);
    if (!isLost && !isWithoutConnection(error)) return false;
    const isOutage = !isLost || this.#suspecting.has(who);
    this.#suspecting.add(who);
    if (isOutage && this.#lostAtMs === undefined) {
      this.#lostAtMs = this.#clock.monotonic();
      this.#log.warn('cannot reach the API server; caches keep their contents until it responds', {
        event: logEvents.apiServerUnreachable,
        error,
      });
    }
    return true;
  }

  /** Records that the server has responded to a list or watch. */
  responded(): void {
    if (this.#suspecting.size > 0) this.#suspecting.clear();
    if (this.#lostAtMs === undefined) return;
    const seconds = Math.round((this.#clock.monotonic() - this.#lostAtMs) / 100) / 10;
    this.#lostAtMs = undefined;
    this.#log.info('the API server responds again', {
      event: logEvents.apiServerReachable,
      unreachableForSeconds: seconds,
    });
  }
}
