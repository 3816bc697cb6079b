// Preserved in the declarations, so that code compiled for ES2022 need not add the library that defines Disposable.
/// <reference lib="esnext.disposable" preserve="true" />

/**
 * Reads the time and sets timers. All of Kubewright's code uses an injected clock, so tests control the time.
 *
 * Both readings are in milliseconds. `now()` is the wall clock since the epoch and may jump; `monotonic()` never goes
 * backwards and only differences between its readings are meaningful. Production code gets {@link systemClock}; tests get a
 * `VirtualClock`.
 *
 * @example
 * ```ts
 * function ageMs({ metadata }: Stored<Pod>, clock: Clock): number {
 *   return clock.now() - Date.parse(metadata.creationTimestamp);
 * }
 * const age = (pod: Stored<Pod>) => ageMs(pod, systemClock);
 * ```
 */
export interface Clock {
  /** Reads the wall clock, in milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** Reads a clock that never goes backwards, in milliseconds since an arbitrary start. */
  monotonic(): number;
  /**
   * Calls `callback` once after `delayMs` milliseconds; with a delay of zero or less, in a later turn of the event
   * loop. Disposing the timer cancels it. A timer keeps the process alive unless `unref` is set.
   */
  setTimer(delayMs: number, callback: () => void, options?: TimerOptions): Timer;
}

/** Options for {@link Clock.setTimer}. */
export interface TimerOptions {
  /** Lets the process exit while this timer is pending. @defaultValue false */
  readonly unref?: boolean;
}

/**
 * A pending call; dispose it to cancel. Disposing a timer twice, or after it has fired, does nothing.
 *
 * @example
 * ```ts
 * function warnIfSlow(clock: Clock): Timer {
 *   return clock.setTimer(5_000, () => console.warn('still waiting'), { unref: true });
 * }
 * {
 *   using timer = warnIfSlow(systemClock);
 *   await work();
 * }
 * ```
 */
export interface Timer extends Disposable {}

/**
 * Waits for `ms` milliseconds on a clock.
 *
 * @throws the signal's reason if `signal` is aborted before the time has passed.
 *
 * @example
 * ```ts
 * await sleep(systemClock, { ms: 1_000 });
 * ```
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
