// Kept in the declarations: whoever compiles against them for ES2022 need not know which library names Disposable.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * The only way in which Kubewright's code learns the time or waits for it.
 *
 * Both readings are in milliseconds. `now()` is the wall clock since the epoch and may jump; `monotonic()` never goes
 * back and means nothing but differences. Production code gets {@link systemClock}; tests get a `VirtualClock`.
 */
export interface Clock {
  /** Reads the wall clock, in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Reads a clock that never goes back, in milliseconds from an arbitrary start. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds; a delay of zero or less means "in a later turn".
   * Disposing the timer cancels it. A timer keeps the process alive unless `unref` is set.
   */
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer;
}

/** Options of {@link Clock.setTimer}. */
export interface TimerOptions {
  /** Lets the process end while this timer is pending. @defaultValue false */
  readonly unref?: boolean;
}

/** A pending call; dispose it to cancel. Disposing twice, or after it fired, does nothing. */
export interface Timer extends Disposable {}

/**
 * Waits on a clock.
 *
 * @throws the signal's reason when `signal` is aborted before the time is over.
 */
export function sleep(
  clock: Clock,
  options: { readonly ms: number; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  const { ms, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
