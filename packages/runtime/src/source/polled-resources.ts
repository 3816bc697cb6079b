import { formatObjectKey, type ObjectKey } from '@kubewright/apimachinery';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import type { HandlerContext, ReconcileRequest } from '../handler/event-handler.ts';
import { logEvents } from '../log/log-events.ts';
import { pollRepeatedly } from './poll-repeatedly.ts';
import type { Source, SourceRun } from './source.ts';

/** Options for {@link polledResources}. */
export interface PolledResourcesOptions<R> {
  /** Name used in logs. */
  readonly name: string;
  /** Time from the end of one round to the start of the next, in milliseconds, with up to 10% jitter either way. */
  readonly everyMs: number;
  /** Returns the keys to poll, for example the keys of all cached objects. Called before each round. */
  readonly keys: () => Iterable<ReconcileRequest> | Promise<Iterable<ReconcileRequest>>;
  /**
   * Reads the resource of one key; undefined if it does not exist. Errors are logged, and the last known value is kept.
   */
  readonly fetch: (key: ReconcileRequest, options: { readonly signal: AbortSignal }) => Promise<R | undefined>;
  /** Reports whether a change matters. @defaultValue the values differ as JSON */
  readonly isChanged?: (before: R | undefined, now: R | undefined) => boolean;
  /** Maximum number of fetches at a time. @defaultValue 4 */
  readonly concurrency?: number;
}

/**
 * A source of external resources, one per key, and their last known values.
 *
 * @example
 * ```ts
 * interface CloudBucket { readonly name: string; readonly sizeBytes: number }
 *
 * function sizeOf(buckets: PolledResources<CloudBucket>, key: ObjectKey): number {
 *   return buckets.get(key)?.sizeBytes ?? 0;
 * }
 * ```
 */
export interface PolledResources<R> extends Source {
  /** Returns the last known resource of a key; undefined if the resource does not exist or has not been fetched yet. */
  get(key: ObjectKey): R | undefined;
}

/**
 * Follows resources outside the cluster by polling: fetches the resource of every key in each round, compares it with
 * the last value, and reconciles the keys whose resource has changed. Reconciles read the values from the source,
 * without a request. A source belongs to one controller of one manager. Mirrors JOSDK's
 * `PerResourcePollingEventSource`.
 *
 * @example
 * ```ts
 * const buckets = polledResources({ name: 'buckets', everyMs: 60_000, keys: () => bucketKeys(), fetch: ({ name }) => cloud.bucket(name) });
 * controller({ for: Bucket, sources: [buckets], async reconcile({ metadata }, ctx) { await ctx.setStatus(statusOf(buckets.get(metadata))); } });
 * ```
 */
export function polledResources<R>(options: PolledResourcesOptions<R>): PolledResources<R> {
  const poller = new Poller(options);
  return {
    name: options.name,
    get: (key) => poller.get(key),
    async start(context, start) {
      const poll = (): Promise<void> => poller.round({ context, start });
      await poll();
      void pollRepeatedly(poll, { everyMs: options.everyMs, start });
    },
  };
}

class Poller<R> {
  readonly #options: PolledResourcesOptions<R>;
  /** Last known resources by key; undefined for a key whose resource does not exist. */
  #known = new Map<string, R | undefined>();

  constructor(options: PolledResourcesOptions<R>) {
    this.#options = options;
  }

  get({ namespace, name }: ObjectKey): R | undefined {
    return this.#known.get(formatObjectKey(namespace === undefined ? { name } : { namespace, name }));
  }

  /** Fetches all resources once; never rejects. */
  async round({ context, start: { signal, log } }: SourceRun): Promise<void> {
    const { keys, concurrency = 4, name } = this.#options;
    const failed = (error: unknown, key?: string): void => {
      if (signal.aborted) return;
      const fields = { source: name, ...defined({ key }), error };
      log.error('cannot poll a source', { event: logEvents.sourceFailed, ...fields });
    };
    try {
      const waiting = [...(await keys())];
      const all = new Set(waiting.map(formatObjectKey));
      for (const key of this.#known.keys()) if (!all.has(key)) this.#known.delete(key);
      const worker = async (): Promise<void> => {
        for (let request = waiting.pop(); request && !signal.aborted; request = waiting.pop()) {
          const key = formatObjectKey(request);
          await this.#poll(request, { context, signal }).catch((error: unknown) => failed(error, key));
        }
      };
      await Promise.all(Array.from({ length: Math.max(1, concurrency) }, worker));
    } catch (error) {
      failed(error);
    }
  }

  async #poll(
    request: ReconcileRequest,
    { context, signal }: { readonly context: HandlerContext; readonly signal: AbortSignal },
  ): Promise<void> {
    const { fetch, isChanged = (before, now) => !sameJson(before, now) } = this.#options;
    const key = formatObjectKey(request);
    const now = await fetch(request, { signal });
    const isNew = !this.#known.has(key);
    const before = this.#known.get(key);
    this.#known.set(key, now);
    if (isNew || isChanged(before, now)) context.enqueue(request);
  }
}
