import { isAlreadyExists, isNotFound } from '@kubewright/apimachinery';
import type { ReconcileContext } from '@kubewright/runtime';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';

/**
 * Applies the changes of one reconcile, and collects the failures. A failed change must not end the reconcile before
 * the decision about the primary is stored. Otherwise, a full quota or a volume that cannot grow would prevent a
 * failover.
 */
export class Attempts {
  readonly #ctx: ReconcileContext<PostgresCluster>;
  readonly #failures: string[] = [];

  constructor(ctx: ReconcileContext<PostgresCluster>) {
    this.#ctx = ctx;
  }

  /** Messages about the changes that failed so far. */
  get failures(): readonly string[] {
    return this.#failures;
  }

  /**
   * Applies a change, such as `expand the volume of shop-1`. Returns false if the change failed, or `gone` if its
   * object does not exist.
   */
  async make(change: string, act: () => Promise<unknown>): Promise<boolean | 'gone'> {
    const { events, log, signal } = this.#ctx;
    try {
      await act();
      return true;
    } catch (error) {
      if (signal.aborted) throw error;
      // The cache was outdated; the next reconcile repeats the change if it is still needed.
      if (isNotFound(error)) return 'gone';
      if (isAlreadyExists(error)) return false;
      const message = `cannot ${change}: ${error instanceof Error ? error.message : String(error)}`;
      this.#failures.push(message);
      log.error('a change failed', { change, error });
      events.record({ type: 'Warning', reason: 'ChangeFailed', note: message.slice(0, 1_000), series: change });
      return false;
    }
  }
}
