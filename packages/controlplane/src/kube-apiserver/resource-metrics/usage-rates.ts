import type { ContainerUsage } from '../pods/node-connector.ts';

/** Minimum period over which a rate is computed, in milliseconds. If the last sample is more recent, the previous sample is used. */
const shortestMs = 10_000;
/** Time after which a container is dropped if its usage is not requested, in milliseconds. */
const forgottenMs = 300_000;

/** A container's processor time at a point in time. */
interface Sample {
  readonly atMs: number;
  readonly cpuSeconds: number;
}

/** The average number of cores that a container used over a period. */
export interface UsageRate {
  readonly cores: number;
  readonly windowMs: number;
}

/**
 * Computes how many cores a container uses on average: since the latest request that is at least ten seconds old, or since the
 * container started if there was none. Nothing is measured between requests.
 */
export class UsageRates {
  readonly #samples = new Map<string, { last: Sample; before: Sample }>();

  /**
   * Returns a container's average usage, and records a sample. @param usage - the container's current usage. Its id changes with
   * each restart.
   */
  rate(usage: ContainerUsage): UsageRate {
    const { id, startedAtMs, atMs: nowMs, cpuSeconds } = usage;
    const start = { atMs: startedAtMs, cpuSeconds: 0 };
    const now = { atMs: nowMs, cpuSeconds };
    const known = this.#samples.get(id) ?? { last: start, before: start };
    const isOld = nowMs - known.last.atMs >= shortestMs;
    const from = isOld ? known.last : known.before;
    // Reinsert the entry, so that the map is ordered by last use.
    this.#samples.delete(id);
    this.#samples.set(id, isOld ? { last: now, before: known.last } : known);
    this.#forget(nowMs);
    const windowMs = nowMs - from.atMs;
    if (windowMs <= 0) return { cores: 0, windowMs: 0 };
    return { cores: Math.max(0, (cpuSeconds - from.cpuSeconds) / (windowMs / 1_000)), windowMs };
  }

  #forget(nowMs: number): void {
    for (const [id, { last }] of this.#samples) {
      if (nowMs - last.atMs < forgottenMs) return;
      this.#samples.delete(id);
    }
  }
}
