import type { Clock } from '@kubewright/apimachinery';
import type { InformerCache } from '../cache/informer-cache.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { ManagerError } from './manager-error.ts';

const nagMs = 10_000;

/** Options for waiting for the initial lists of the caches. */
export interface CacheSyncOptions {
  readonly clock: Clock;
  readonly log: Logger;
  /** 0 means no limit. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * Waits until every cache has synced. Without a timeout, skips caches whose kind is known not to be served. Returns early when
 * aborted. Logs every ten seconds which kinds it is waiting for: a missing permission must not look like a hang.
 *
 * @throws ManagerError (KW3007) if the wait times out.
 */
export async function cacheSync(cache: InformerCache, options: CacheSyncOptions): Promise<void> {
  const { clock, log, timeoutMs, signal } = options;
  const missing = (): readonly string[] =>
    cache.informers.filter((informer) => !informer.hasSynced).map((informer) => informer.kind.kind);
  const over = new AbortController();
  const nag = (): void => {
    if (signal.aborted) return;
    if (missing().length > 0)
      log.info('waiting for caches to sync', { event: logEvents.cacheSyncing, kinds: missing() });
    timer = clock.setTimer(nagMs, nag, { unref: true });
  };
  let timer = clock.setTimer(nagMs, nag, { unref: true });
  const giveUp = (): void => {
    const kinds = missing().join(', ');
    over.abort(
      new ManagerError({
        what: `cannot sync the caches of ${kinds}`,
        why: `timed out after ${timeoutMs} ms`,
        remedy: 'check that each kind is installed and that the operator can list and watch it',
      }),
    );
  };
  using _limit = timeoutMs > 0 ? clock.setTimer(timeoutMs, giveUp, { unref: true }) : undefined;
  try {
    const until = AbortSignal.any([signal, over.signal]);
    await (timeoutMs > 0 ? cache.waitForSync(until) : cache.waitUntilKnown(until));
  } catch (error) {
    if (over.signal.aborted) throw over.signal.reason;
    if (!signal.aborted) throw error;
  } finally {
    timer[Symbol.dispose]();
  }
}
