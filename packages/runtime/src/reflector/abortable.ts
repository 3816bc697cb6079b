/**
 * Iterates a stream and ends with the signal's reason when it is aborted, even if the stream itself does not react. Creates one
 * promise per chunk: racing with a long-lived promise would keep every chunk's reaction alive.
 */
export async function* abortable<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T, undefined> {
  const iterator = stream[Symbol.asyncIterator]();
  let fail: ((reason: unknown) => void) | undefined;
  const onAbort = (): void => fail?.(signal.reason);
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        fail = reject;
        if (signal.aborted) reject(signal.reason);
        else iterator.next().then(resolve, reject);
      });
      if (next.done) return undefined;
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Do not await the return: a hanging stream may hang here too, and its failure no longer matters.
    void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
