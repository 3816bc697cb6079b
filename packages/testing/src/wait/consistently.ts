import { sleep, systemClock } from '@kubewright/apimachinery';
import type { Matcher } from '../matchers/matcher.ts';
import { attempt } from './attempt.ts';
import { failedWait } from './failed-wait.ts';
import { ObservedVersions } from './observed-versions.ts';
import { defaultIntervalMs, type WaitOptions } from './wait-options.ts';

/**
 * Reads repeatedly for some time, and fails at the first value that does not match. Returns the last value. A successful wait
 * always takes the full time, so prefer to wait for an event after which the change can no longer happen.
 *
 * @param options - `forMs`: @defaultValue 500
 * @throws AssertionError like `eventually`
 *
 * @example
 * ```ts
 * await consistently(() => client.resource(Pod).list(), ({ items }) => items.length === 3, { forMs: 1_000 });
 * ```
 */
export async function consistently<T>(
  read: () => T | Promise<T>,
  matcher: Matcher<T>,
  options: WaitOptions & { readonly forMs?: number } = {},
): Promise<T> {
  const { forMs = 500, intervalMs = defaultIntervalMs, clock = systemClock, signal, log = [] } = options;
  const start = clock.monotonic();
  const end = start + forMs;
  const versions = new ObservedVersions();
  for (;;) {
    signal?.throwIfAborted();
    const outcome = await attempt(read, matcher);
    const atMs = clock.monotonic() - start;
    versions.note(outcome.value, atMs);
    if (!outcome.matched) {
      throw failedWait(`no match after ${atMs.toFixed(0)} ms, expected a match for ${forMs} ms`, {
        error: outcome.error,
        versions,
        log,
      });
    }
    if (clock.monotonic() >= end) return outcome.value;
    await sleep(clock, { ms: Math.min(intervalMs, end - clock.monotonic()), signal });
  }
}
