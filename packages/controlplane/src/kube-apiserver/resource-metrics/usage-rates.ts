import type { ContainerUsage } from '../pods/node-connector.ts';

/** Rates are measured over at least this time, in milliseconds; if the last sample is more recent, since the previous one. */
const shortestMs = 10_000;
/** Containers whose usage was not requested for this long are dropped, in milliseconds. */
const forgottenMs = 300_000;

/** A sample of the processor time. */
interface Sample {
  readonly atMs: number;
  readonly cpuSeconds: number;
}

/** The processors that a container uses, over the time before a request. */
export interface UsageRate {
  readonly cores: number;
  readonly windowMs: number;
}

/**
 * Computes how many processors containers use, from the processor time that they have used since the last request that is at least
 * ten seconds old or, for the first request, since their start. Nothing is measured between requests.
 */
export class UsageRates {
  readonly #samples = new Map<string, { last: Sample; before: Sample }>();

  /** @param usage - usage of a container; the id changes with each restart. */
  rate(usage: ContainerUsage): UsageRate {
    const { id, startedAtMs, atMs: nowMs, cpuSeconds } = usage;
    const start = { atMs: startedAtMs, cpuSeconds: 0 };
    const now = { atMs: nowMs, cpuSeconds };
    const known = this.#samples.get(id) ?? { last: start, before: start };
    const isOld = nowMs - known.last.atMs >= shortestMs;
    const from = isOld ? known.last : known.before;
    // The map is ordered by last use.
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
