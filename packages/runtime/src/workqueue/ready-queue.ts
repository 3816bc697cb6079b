interface Ready {
  readonly key: string;
  readonly priority: number;
  /** When it was first added. */
  readonly addedMs: number;
  /** Since when it ages at its priority. */
  readonly sinceMs: number;
  readonly order: number;
}

/** Entries of one priority, oldest first; entries that were raised to another stay as husks until they come up. */
interface Level {
  readonly entries: Ready[];
  head: number;
  live: number;
}

/**
 * Keys that can be handed out, by priority with aging: a key gains a point for each `agingMs` it has waited, so that a steady
 * stream of urgent keys cannot starve the others. Equal standing goes by age. A key that is raised loses nothing of what it
 * has gained by waiting.
 */
export class ReadyQueue {
  readonly #agingMs: number;
  readonly #keys = new Map<string, Ready>();
  readonly #levels = new Map<number, Level>();
  #order = 0;

  constructor(agingMs: number) {
    this.#agingMs = agingMs;
  }

  get size(): number {
    return this.#keys.size;
  }

  priorityOf(key: string): number | undefined {
    return this.#keys.get(key)?.priority;
  }

  /** All keys, in no order. */
  keys(): Iterable<Pick<Ready, 'key' | 'priority'>> {
    return this.#keys.values();
  }

  /** Puts a key at the end of its priority, or as far ahead as it has come by waiting at a lower one. */
  push(key: string, at: { readonly priority: number; readonly nowMs: number }): void {
    const { priority, nowMs } = at;
    const old = this.#keys.get(key);
    const ahead = old ? Math.max(0, old.priority + (nowMs - old.sinceMs) / this.#agingMs - priority) : 0;
    if (old) this.#leave(old.priority);
    const sinceMs = nowMs - ahead * this.#agingMs;
    const ready: Ready = { key, priority, addedMs: old?.addedMs ?? nowMs, sinceMs, order: this.#order++ };
    this.#keys.set(key, ready);
    const level = this.#levels.get(priority);
    if (level) {
      insert(level, ready);
      level.live++;
    } else this.#levels.set(priority, { entries: [ready], head: 0, live: 1 });
  }

  /** Takes the key that stands highest. */
  pop(nowMs: number): Ready | undefined {
    let best: Ready | undefined;
    let bestStanding = 0;
    for (const level of this.#levels.values()) {
      const head = this.#head(level);
      if (!head) continue;
      const standing = head.priority + Math.floor((nowMs - head.sinceMs) / this.#agingMs);
      if (!best || standing > bestStanding || (standing === bestStanding && head.order < best.order)) {
        best = head;
        bestStanding = standing;
      }
    }
    if (!best) return undefined;
    this.#keys.delete(best.key);
    this.#levels.get(best.priority)!.head++;
    this.#leave(best.priority);
    return best;
  }

  /** Drops everything; answers how many keys of which priority there were. */
  clear(): ReadonlyMap<number, number> {
    const counts = new Map([...this.#levels].map(([priority, level]) => [priority, level.live]));
    this.#levels.clear();
    this.#keys.clear();
    return counts;
  }

  #head(level: Level): Ready | undefined {
    while (level.head < level.entries.length) {
      const entry = level.entries[level.head]!;
      if (this.#keys.get(entry.key) === entry) break;
      level.head++;
    }
    // Taken entries are cut off in blocks, so that taking one is cheap.
    if (level.head > 1024 && level.head * 2 > level.entries.length) {
      level.entries.splice(0, level.head);
      level.head = 0;
    }
    return level.entries[level.head];
  }

  #leave(priority: number): void {
    const level = this.#levels.get(priority)!;
    if (--level.live === 0) this.#levels.delete(priority);
  }
}

/** Nearly always at the end: only a key that was raised after a long wait goes before others. */
function insert(level: Level, ready: Ready): void {
  const { entries } = level;
  let at = entries.length;
  while (at > level.head && entries[at - 1]!.sinceMs > ready.sinceMs) at--;
  if (at === entries.length) entries.push(ready);
  else entries.splice(at, 0, ready);
}
