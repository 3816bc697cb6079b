import { type Difference, formatPath, type PathStep } from './json-difference.ts';

/** How often a pattern must be seen before it is told. */
export const patience = 5;
/** What was seen longer ago counts no more, in milliseconds. */
const windowMs = 600_000;
const mostPaths = 4;

interface Written {
  /** Of the value; values themselves are not kept: they may be secret. */
  readonly hash: string;
  readonly steps: readonly PathStep[];
  /** Writes in a row that put the same value back. */
  readonly back: number;
  /** Writes in a row that changed it, each brought about by the one before. */
  readonly own: number;
  readonly atMs: number;
}

/** What a controller wrote to one object, as far as patterns need it: a few places, no values. */
export class WrittenObject {
  #paths = new Map<string, Written>();
  /** Writes in a row that changed nothing. */
  noops = 0;
  /** Who else held a place when it was looked at, by path. */
  readonly others: Map<string, readonly string[]> = new Map();

  /** Notes a write; answers the places that show a pattern now. */
  note(
    changes: readonly Difference[],
    at: { readonly nowMs: number; readonly selfTriggered: boolean },
  ): readonly { readonly pattern: 'hot-loop' | 'conflict'; readonly path: string; readonly times: number }[] {
    const before = this.#paths;
    const recent = [...before].filter(([, each]) => at.nowMs - each.atMs < windowMs);
    // What this write leaves alone is not what brings reconciles about.
    this.#paths = new Map(recent.map(([path, each]) => [path, { ...each, own: 0 }]));
    const seen: ReturnType<WrittenObject['note']>[number][] = [];
    for (const { steps, value } of changes.slice(0, mostPaths)) {
      const path = formatPath(steps);
      const old = this.#paths.has(path) ? before.get(path) : undefined;
      const hash = hashOf(value);
      const back = old?.hash === hash ? old.back + 1 : 1;
      const own = at.selfTriggered ? (old?.own ?? 0) + 1 : 1;
      this.#paths.delete(path);
      this.#paths.set(path, { hash, steps, back, own, atMs: at.nowMs });
      if (own >= patience && old?.hash !== hash) seen.push({ pattern: 'hot-loop', path, times: own });
      else if (back >= patience) seen.push({ pattern: 'conflict', path, times: back });
    }
    while (this.#paths.size > mostPaths) this.#paths.delete(this.#paths.keys().next().value ?? '');
    return seen;
  }

  /** Places that are about to be told as conflicts: worth a look at who else writes there. */
  get suspicious(): readonly { readonly path: string; readonly steps: readonly PathStep[] }[] {
    return [...this.#paths].flatMap(([path, { steps, back }]) => (back >= patience - 1 ? [{ path, steps }] : []));
  }

  /** What was written was not brought about by the write before: no loop. */
  calm(): void {
    for (const [path, each] of this.#paths) this.#paths.set(path, { ...each, own: 0 });
  }
}

/** Tells values apart well enough (two FNV-1a hashes); no secret can be read from it, and no library is loaded for it. */
function hashOf(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  let a = 0x811c9dc5;
  let b = 0x9dc5811c;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x01000193);
    b = Math.imul(b ^ code, 0x01000197);
  }
  return `${text.length}:${a >>> 0}:${b >>> 0}`;
}
