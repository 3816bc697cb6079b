import { exponentialDelay } from '@kubewright/apimachinery/internal';

const delays = { initialMs: 10_000, maxMs: 600_000 };

/** A finished pod, as {@link FailureBackoff} counts it. */
export interface EndedPod {
  readonly uid: string;
  readonly succeeded: boolean;
  readonly atMs: number;
}

/**
 * Computes how long jobs wait before they replace failed pods: 10 s after a failure, doubled with each further failure
 * until a pod succeeds, up to 10 minutes. The state is in memory. As in upstream, a restarted controller starts with
 * the shortest delay.
 */
export class FailureBackoff {
  readonly #jobs = new Map<
    string,
    { readonly failures: number; readonly lastFailureMs: number; readonly seen: Set<string> }
  >();

  /** Records finished pods. Each pod counts once. */
  note(job: string, ended: readonly EndedPod[]): void {
    const before = this.#jobs.get(job);
    const seen = before?.seen ?? new Set<string>();
    let { failures, lastFailureMs } = before ?? { failures: 0, lastFailureMs: 0 };
    const fresh = ended.filter(({ uid }) => !seen.has(uid)).sort((a, b) => a.atMs - b.atMs);
    if (fresh.length === 0) return;
    for (const { uid, succeeded, atMs } of fresh) {
      seen.add(uid);
      failures = succeeded ? 0 : failures + 1;
      lastFailureMs = succeeded ? 0 : atMs;
    }
    this.#jobs.set(job, { failures, lastFailureMs, seen });
  }

  /** Returns the time until the next pods may be created, in milliseconds. */
  remainingMs(job: string, nowMs: number): number {
    const { failures, lastFailureMs } = this.#jobs.get(job) ?? { failures: 0, lastFailureMs: 0 };
    if (failures === 0) return 0;
    return Math.max(0, lastFailureMs + exponentialDelay(failures - 1, delays) - nowMs);
  }

  forget(job: string): void {
    this.#jobs.delete(job);
  }
}
