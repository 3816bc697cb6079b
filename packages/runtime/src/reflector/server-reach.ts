import type { Clock } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';
import { isWithoutConnection } from './failures.ts';

/** A connection was lost, which happens to every long-lived one now and then. */
const connectionLost: ReadonlySet<string> = new Set(['KW2003', 'KW2004']);

/**
 * Knows whether the API server can be reached, for all who list and watch through one client: one outage is told once, when it
 * begins and when it is over, and not by each kind.
 */
export class ServerReach {
  readonly #clock: Clock;
  readonly #log: Logger;
  #lostAtMs: number | undefined;
  /** Who has lost a connection since the server last answered. */
  readonly #suspecting = new Set<object>();

  constructor(options: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /**
   * Tells that a list or watch failed; answers true if that is for lack of a server, and nobody else need speak of it.
   *
   * @param who - whoever lists and watches; a second failure of the same one, without an answer between, is an outage.
   */
  failed(who: object, error: unknown): boolean {
    const isLost = error instanceof TransportError && connectionLost.has(error.code);
    if (!isLost && !isWithoutConnection(error)) return false;
    const isOutage = !isLost || this.#suspecting.has(who);
    this.#suspecting.add(who);
    if (isOutage && this.#lostAtMs === undefined) {
      this.#lostAtMs = this.#clock.monotonic();
      this.#log.warn('cannot reach the API server; caches stay as they are until it answers', { error });
    }
    return true;
  }

  /** Tells that the server has answered a list or watch. */
  answered(): void {
    if (this.#suspecting.size > 0) this.#suspecting.clear();
    if (this.#lostAtMs === undefined) return;
    const seconds = Math.round((this.#clock.monotonic() - this.#lostAtMs) / 100) / 10;
    this.#lostAtMs = undefined;
    this.#log.info('the API server answers again', { unreachableForSeconds: seconds });
  }
}
