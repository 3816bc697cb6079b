import type { Clock } from '@kubewright/apimachinery';

interface Expected {
  creations: number;
  /** UIDs, because one deletion is seen twice: when it begins and when it ends. */
  readonly deletions: Set<string>;
  readonly sinceMs: number;
}

/** How long to wait for events that may never come, in milliseconds. Mirrors `ExpectationsTimeout` of Kubernetes 1.36. */
const timeoutMs = 300_000;

/** The writes of a controller that its cache does not show yet, by key of the owner. */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  expectCreations(key: string, creations: number): void {
    this.#expected.set(key, { creations, deletions: new Set(), sinceMs: this.#clock.monotonic() });
  }

  expectDeletions(key: string, uids: readonly string[]): void {
    this.#expected.set(key, { creations: 0, deletions: new Set(uids), sinceMs: this.#clock.monotonic() });
  }

  creationObserved(key: string): void {
    const expected = this.#expected.get(key);
    if (expected) expected.creations -= 1;
  }

  deletionObserved(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  /** True if the cache shows all writes, or has had enough time to. */
  satisfied(key: string): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    const { creations, deletions, sinceMs } = expected;
    return (creations <= 0 && deletions.size === 0) || this.#clock.monotonic() - sinceMs > timeoutMs;
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }
}
