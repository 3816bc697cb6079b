import { AssertionError } from 'node:assert';
import { type Clock, parseDurationMs, sleep, systemClock } from '@kubewright/apimachinery';
import type { Matcher } from '../matchers/matcher.ts';
import { attempt } from './attempt.ts';
import { failedWait } from './failed-wait.ts';
import { ObservedVersions } from './observed-versions.ts';
import { defaultIntervalMs, type WaitOptions } from './wait-options.ts';

/**
 * Reads until the value matches, and returns it. A read that fails counts as a value that does not match. The last read
 * starts at the timeout and has one more interval to finish.
 *
 * @param matcher - @defaultValue any value but `false`: waits until the read succeeds
 * @param options - `timeoutMs`: @defaultValue the value of the environment variable `KUBEWRIGHT_EVENTUALLY_TIMEOUT`, in Go's
 * notation, otherwise 4,000, which is less than the time limit of test runners
 * @throws AssertionError at the timeout: the difference, the last five versions of the objects that were read, and the
 * last lines of `log`
 *
 * @example
 * ```ts
 * const settings = await eventually(
 *   () => client.resource(ConfigMap).get({ name: 'settings' }),
 *   toMatch({ data: { mode: 'dark' } }),
 *   { timeoutMs: 10_000 },
 * );
 * ```
 */
export async function eventually<T>(
  read: () => T | Promise<T>,
  matcher: Matcher<T> = notFalse,
  options: WaitOptions & { readonly timeoutMs?: number } = {},
): Promise<T> {
  const {
    timeoutMs = defaultTimeoutMs(),
    intervalMs: pauseMs = defaultIntervalMs,
    clock = systemClock,
    signal,
    log = [],
  } = options;
  const start = clock.monotonic();
  const end = start + timeoutMs;
  const versions = new ObservedVersions();
  let failure: unknown = new Error('the read did not finish');
  for (let reads = 1; ; reads++) {
    signal?.throwIfAborted();
    const remainingMs = end - clock.monotonic();
    const isLast = remainingMs < 1; // Timers may fire up to a millisecond early.
    const outcome = await within(attempt(read, matcher), { ms: isLast ? pauseMs : remainingMs, clock, signal });
    signal?.throwIfAborted();
    if (outcome?.matched) return outcome.value;
    if (outcome) {
      failure = outcome.error;
      versions.note(outcome.value, clock.monotonic() - start);
    }
    if (!outcome || isLast) {
      const times = reads === 1 ? '1 read' : `${reads} reads`;
      throw failedWait(`no match within ${timeoutMs} ms (${times})`, { error: failure, versions, log });
    }
    await sleep(clock, { ms: Math.max(0, Math.min(pauseMs, end - clock.monotonic())), signal });
  }
}

/** Matches any value but `false`: the default matcher. */
function notFalse(value: unknown): void {
  if (value === false) throw new AssertionError({ message: 'the read returned false' });
}

/** Waits for a promise that never rejects. Returns undefined if it takes longer, or if the signal aborts. */
async function within<T>(
  promise: Promise<T>,
  { ms, clock, signal }: { readonly ms: number; readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<T | undefined> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  signal?.addEventListener('abort', end, { once: true });
  const timedOut = sleep(clock, { ms, signal: ended.signal }).then(
    () => undefined,
    () => undefined,
  );
  try {
    return await Promise.race([promise, timedOut]);
  } finally {
    signal?.removeEventListener('abort', end);
    end();
  }
}

/** Returns the default time limit. Like Gomega's, it can be raised for a slow machine without changing the tests. */
function defaultTimeoutMs(): number {
  return parseDurationMs(process.env['KUBEWRIGHT_EVENTUALLY_TIMEOUT'] || '4s');
}
