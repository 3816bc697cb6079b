import { sleep } from '@kubewright/apimachinery';
import type { HandlerContext, ReconcileRequest } from '../handler/event-handler.ts';
import { logEvents } from '../log/log-events.ts';
import { abortable } from '../reflector/abortable.ts';
import { Backoff } from '../reflector/backoff.ts';
import type { Source, SourceRun } from './source.ts';

/** Options for {@link channelSource}. */
export interface ChannelSourceOptions<E> {
  /** Name used in logs. */
  readonly name: string;
  /**
   * The events: an {@link EventChannel}, any stream, or a function that returns a stream. The function is called again
   * after its stream has failed.
   */
  readonly events: AsyncIterable<E> | ((signal: AbortSignal) => AsyncIterable<E>);
  /** Enqueues the keys to reconcile; if it throws, the error is logged and only that event is lost. */
  readonly handler: (event: E, context: HandlerContext) => void;
}

/** Feeds a controller from a channel or a stream, such as an external queue or another program's events. */
export function channelSource<E>(options: ChannelSourceOptions<E>): Source {
  return {
    name: options.name,
    async start(context, start) {
      // Later events are not awaited.
      void follow(options, { context, start });
    },
  };
}

/** Enqueues the request itself: a handler for channels that carry requests. */
export function enqueueRequest(request: ReconcileRequest, context: HandlerContext): void {
  context.enqueue(request);
}

async function follow<E>(options: ChannelSourceOptions<E>, { context, start }: SourceRun): Promise<void> {
  const { name, events, handler } = options;
  const { signal, clock, random } = start;
  const log = start.log.with({ source: name });
  const backoff = new Backoff({ clock, random });
  while (!signal.aborted) {
    try {
      const stream = typeof events === 'function' ? events(signal) : events;
      for await (const event of abortable(leaving(stream, signal), signal)) {
        try {
          handler(event, context);
        } catch (error) {
          log.error('cannot handle an event of a source', { event: logEvents.sourceFailed, error });
        }
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.error('a source failed', { event: logEvents.sourceFailed, error });
      if (typeof events !== 'function') return;
      // If the signal was aborted in the meantime, the loop ends.
      await sleep(clock, { ms: backoff.next(), signal }).catch(() => {});
    }
  }
}

/** Stops reading a stream as soon as the signal is aborted, so that later events go to the next reader. */
async function* leaving<E>(stream: AsyncIterable<E>, signal: AbortSignal): AsyncGenerator<E, void> {
  const iterator = stream[Symbol.asyncIterator]();
  const leave = (): void => {
    // The result of the pending read no longer matters.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  };
  signal.addEventListener('abort', leave, { once: true });
  try {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
