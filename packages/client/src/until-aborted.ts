import { setMaxListeners } from 'node:events';

/** Waits for a promise that others may share; the signal ends this wait, not the work. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    if (signal.aborted) {
      promise.catch(() => {
        // The caller hears of the abort; what the abandoned work says later has no reader.
      });
      onAbort();
      return;
    }
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** One signal may rule over thousands of calls; Node takes more than ten listeners for a leak and says so. */
export function expectManyListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal);
}
