import { parseDurationMs, type VirtualClock } from '@kubewright/apimachinery';

/**
 * Number of turns of the event loop after each timer. A call to a server in this process, and each of its effects, takes a few
 * turns.
 */
const turns = 20;

/**
 * Advances a virtual clock, timer by timer. After each timer, the event loop turns 20 times. That is enough for work in
 * this process that does not wait for real time: a reconcile with a few calls to an embedded cluster, and the watch
 * events that they cause. The function does not wait for anything else: long chains of calls, sockets, files and child
 * processes may finish after later timers, or after the function has returned. Use {@link eventually} to wait for their
 * outcome.
 *
 * @param duration - in Go's notation, such as `24h`, `1m30s` or `250ms`
 * @throws DurationError (KW1031) if the text is not a duration
 *
 * @example
 * ```ts
 * const clock = new VirtualClock();
 * await advance(clock, '24h');
 * ```
 */
export async function advance(clock: VirtualClock, duration: string): Promise<void> {
  await clock.advance(parseDurationMs(duration), { afterEach: settled });
}

/** Waits for several turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await new Promise<void>((resolve) => setImmediate(resolve)); // seam: yields turns of the event loop; adds no delay
  }
}
