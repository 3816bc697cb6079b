import type { ReconcileRequest } from '../handler/event-handler.ts';
import { logEvents } from '../log/log-events.ts';
import { pollRepeatedly } from './poll-repeatedly.ts';
import type { Source, SourceRun } from './source.ts';

/** Options for {@link pollSource}. */
export interface PollSourceOptions {
  /** Name used in logs. */
  readonly name: string;
  /** Time from one result to the next poll, in milliseconds, with up to 10% jitter either way. */
  readonly everyMs: number;
  /** Returns the keys to reconcile now. Errors are logged, and polling continues. */
  readonly poll: (options: { readonly signal: AbortSignal }) => Promise<readonly ReconcileRequest[]>;
}

/**
 * Feeds a controller by polling: a cloud API, a file, a clock. Workers start once the keys of the first poll are in the
 * queue, or the first poll has failed.
 *
 * @example
 * ```ts
 * sources: [pollSource({ name: 'buckets', everyMs: 60_000, poll: async ({ signal }) => keysOf(await cloud.buckets(signal)) })]
 * ```
 */
export function pollSource(options: PollSourceOptions): Source {
  return {
    name: options.name,
    async start(context, start) {
      const poll = (): Promise<void> => pollOnce(options, { context, start });
      await poll();
      void pollRepeatedly(poll, { everyMs: options.everyMs, start });
    },
  };
}

async function pollOnce(options: PollSourceOptions, { context, start }: SourceRun): Promise<void> {
  const { signal, log } = start;
  try {
    for (const request of await options.poll({ signal })) context.enqueue(request);
  } catch (error) {
    if (!signal.aborted)
      log.error('cannot poll a source', { event: logEvents.sourceFailed, source: options.name, error });
  }
}
