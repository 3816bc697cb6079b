import { sleep } from '@kubewright/apimachinery';
import type { HandlerContext, ReconcileRequest } from '../handler/event-handler.ts';
import type { Source, SourceStart } from './source.ts';

/** Options of {@link pollSource}. */
export interface PollSourceOptions {
  /** In logs. */
  readonly name: string;
  /** Time from one answer to the next question, up to a tenth more or less, in milliseconds. */
  readonly everyMs: number;
  /** Answers which keys are to be reconciled now. What it throws is logged; it is asked again as always. */
  readonly poll: (options: { readonly signal: AbortSignal }) => Promise<readonly ReconcileRequest[]>;
}

/**
 * Feeds a controller from something that has to be asked: a cloud's list, a file, a clock. Workers start once the first
 * answer is in the queue, or could not be had.
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
      await ask(options, { context, start });
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
      // Aborted: that is the end.
      return;
    }
    await ask(options, with_);
  }
}

async function ask(options: PollSourceOptions, with_: With): Promise<void> {
  const { signal, log } = with_.start;
  try {
    for (const request of await options.poll({ signal })) with_.context.enqueue(request);
  } catch (error) {
    if (!signal.aborted) log.error('a source could not be asked', { source: options.name, error });
  }
}
