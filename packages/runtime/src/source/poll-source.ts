import { sleep } from '@kubewright/apimachinery';
import type { HandlerContext, ReconcileRequest } from '../handler/event-handler.ts';
import { logEvents } from '../log/log-events.ts';
import type { Source, SourceStart } from './source.ts';

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
      await pollOnce(options, { context, start });
      void again(options, { context, start });
    },
  };
}

interface With {
  readonly context: HandlerContext;
  readonly start: SourceStart;
}

async function again(options: PollSourceOptions, with_: With): Promise<void> {
  const { signal, clock, random } = with_.start;
  while (!signal.aborted) {
    try {
      await sleep(clock, { ms: options.everyMs * (0.9 + random.next() * 0.2), signal });
    } catch {
      // Aborted: stop polling.
      return;
    }
    await pollOnce(options, with_);
  }
}

async function pollOnce(options: PollSourceOptions, with_: With): Promise<void> {
  const { signal, log } = with_.start;
  try {
    for (const request of await options.poll({ signal })) with_.context.enqueue(request);
  } catch (error) {
    if (!signal.aborted)
      log.error('cannot poll a source', { event: logEvents.sourceFailed, source: options.name, error });
  }
}
