import { expectManyListeners } from '../until-aborted.ts';
import { readWatch } from './read-watch.ts';
import type { WatchEvent } from './watch-event.ts';

/**
 * Returns an iterable for a watch that is opened by the first `next()`. Unlike a plain generator, it can be canceled while an
 * event is awaited: `return()` resets the stream immediately.
 */
export function openWatch<T extends object>(options: {
  readonly open: (signal: AbortSignal) => Promise<AsyncIterable<Uint8Array>>;
  readonly what: string;
  readonly signal?: AbortSignal | undefined;
}): AsyncIterableIterator<WatchEvent<T>> {
  const { open, what, signal } = options;
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal?.reason);
  const release = (): void => signal?.removeEventListener('abort', onAbort);
  let left = false;
  const events = (async function* () {
    try {
      signal?.throwIfAborted();
      expectManyListeners(signal);
      signal?.addEventListener('abort', onAbort, { once: true });
      yield* readWatch<T>(await open(stop.signal), { what });
    } finally {
      release();
    }
  })();
  return {
    async next() {
      try {
        return await events.next();
      } catch (error) {
        if (left) return { done: true, value: undefined };
        throw error;
      }
    },
    async return() {
      left = true;
      release();
      stop.abort(new DOMException('the caller stopped the watch', 'AbortError'));
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
