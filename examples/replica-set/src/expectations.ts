import type { Clock } from '@kubewright/apimachinery';
import type { Pod } from '@kubewright/apimachinery/core/v1';

/**
 * Maximum time to wait for events that may never come, in milliseconds. Mirrors `ExpectationsTimeout` of Kubernetes
 * 1.36.
 */
const timeoutMs = 300_000;

/** Tracks the writes of a controller that its cache does not show yet: names of pods, by key of the owner. */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, { readonly names: Set<string | undefined>; readonly sinceMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Expects one event for each pod: that it was created, or that its deletion has begun. */
  expect(key: string, pods: readonly Pod[]): void {
    const names = new Set(pods.map(({ metadata }) => metadata.name));
    this.#expected.set(key, { names, sinceMs: this.#clock.monotonic() });
  }

  observed(key: string, name: string | undefined): void {
    this.#expected.get(key)?.names.delete(name);
  }

  /** Returns true if the cache shows all writes, or if the wait for them has timed out. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    return !expected?.names.size || this.#clock.monotonic() - expected.sinceMs > timeoutMs;
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
