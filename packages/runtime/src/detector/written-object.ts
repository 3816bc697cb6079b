import { stringifyJson } from '@kubewright/apimachinery/internal';
import { type Difference, formatPath, type PathStep } from './json-difference.ts';

/** Number of times a pattern must occur before it is reported. */
export const reportThreshold = 5;
/** Maximum age of observations, in milliseconds; older observations are ignored. */
const windowMs = 600_000;
const maxPaths = 4;

interface Written {
  /** Hash of the value; values are not kept because they may be secret. */
  readonly hash: string;
  readonly steps: readonly PathStep[];
  /** Number of consecutive writes that restored the same value. */
  readonly back: number;
  /** Number of consecutive writes that changed the value, each triggered by the previous write. */
  readonly own: number;
  readonly atMs: number;
}

/** A controller's writes to one object, reduced to the data needed to detect patterns: a few paths, no values. */
export class WrittenObject {
  #paths = new Map<string, Written>();
  #noops = 0;
  #noopAtMs = Number.NEGATIVE_INFINITY;
  /** The other field managers of each path, as of the last check. */
  readonly others: Map<string, readonly string[]> = new Map();

  /** Records a write that changed nothing; returns the number of such writes in a row. */
  noteNoop(nowMs: number): number {
    this.#noops = nowMs - this.#noopAtMs < windowMs ? this.#noops + 1 : 1;
    this.#noopAtMs = nowMs;
    return this.#noops;
  }

  /** Records a write that changed something; returns the paths that now show a pattern. */
  note(
    changes: readonly Difference[],
    at: { readonly nowMs: number; readonly selfTriggered: boolean },
  ): readonly { readonly pattern: 'hot-loop' | 'conflict'; readonly path: string; readonly times: number }[] {
    this.#noops = 0;
    const before = this.#paths;
    const recent = [...before].filter(([, each]) => at.nowMs - each.atMs < windowMs);
    // Paths that this write does not change do not trigger reconciles.
    this.#paths = new Map(recent.map(([path, each]) => [path, { ...each, own: 0 }]));
    const seen: ReturnType<WrittenObject['note']>[number][] = [];
    for (const { steps, value } of changes.slice(0, maxPaths)) {
      const path = formatPath(steps);
      const old = this.#paths.has(path) ? before.get(path) : undefined;
      const hash = hashOf(value);
      const back = old?.hash === hash ? old.back + 1 : 1;
      const own = at.selfTriggered ? (old?.own ?? 0) + 1 : 1;
      this.#paths.delete(path);
      this.#paths.set(path, { hash, steps, back, own, atMs: at.nowMs });
      if (own >= reportThreshold && old?.hash !== hash) seen.push({ pattern: 'hot-loop', path, times: own });
      else if (back >= reportThreshold) seen.push({ pattern: 'conflict', path, times: back });
    }
    while (this.#paths.size > maxPaths) this.#paths.delete(this.#paths.keys().next().value ?? '');
    return seen;
  }

  /** Paths about to be reported as conflicts, whose other managers should be checked. */
  get suspicious(): readonly { readonly path: string; readonly steps: readonly PathStep[] }[] {
    return [...this.#paths].flatMap(([path, { steps, back }]) =>
      back >= reportThreshold - 1 ? [{ path, steps }] : [],
    );
  }

  /**
   * Resets the counts of self-triggered writes; called when a reconcile starts that the controller's writes did not
   * trigger.
   */
  resetSelfTriggered(): void {
    for (const [path, each] of this.#paths) this.#paths.set(path, { ...each, own: 0 });
  }
}

/** Hashes a value (two FNV-1a hashes). Good enough to detect changes, reveals no secrets, and needs no library. */
function hashOf(value: unknown): string {
  const text = stringifyJson(value);
  let a = 0x811c9dc5;
  let b = 0x9dc5811c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000197);
  }
  return `${text.length}:${a >>> 0}:${b >>> 0}`;
}
