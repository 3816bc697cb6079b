import { setMaxListeners } from 'node:events';

/** Waits for a promise that other callers may share. The signal ends this wait, not the work. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {
        // The caller gets the abort reason; later failures of the abandoned work are ignored.
      });
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Allows thousands of calls to share a signal. By default, Node reports more than ten listeners as a leak. */
export function expectManyListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal);
}
