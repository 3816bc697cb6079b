interface Ready {
  readonly key: string;
  readonly priority: number;
  /** When it was first added. */
  readonly addedMs: number;
  /** Set when the key was handed out or moved to another priority: asking the entry spares looking its key up. */
  isHusk: boolean;
  /** Where the key moved, if it did. */
  movedTo: Ready | undefined;
}

/** Entries of one priority, first come, first served; entries of keys that left it stay as husks until they come up. */
interface Level {
  readonly entries: Ready[];
  head: number;
  live: number;
}

/**
 * Keys that can be handed out: the highest priority first, and within one priority the first that got it. Nothing starves:
 * once `maxOvertakes` keys in a row were handed out before the one that has waited longest, that one is next, whatever its
 * priority. So keys of low priority get at most one of `maxOvertakes + 1` hand-outs while more urgent ones wait, and a key
 * that is raised keeps its age.
 */
export class ReadyQueue {
  readonly #maxOvertakes: number;
  /** By age: a map keeps the place of a key that is set again. */
  readonly #keys = new Map<string, Ready>();
  readonly #levels = new Map<number, Level>();
  /** Kept between calls: a new iterator would step over all that was deleted. */
  #byAge: Iterator<Ready>;
  #oldest: Ready | undefined;
  /** Keys handed out in a row before the oldest. */
  #overtakes = 0;

  constructor(maxOvertakes: number) {
    this.#maxOvertakes = maxOvertakes;
    this.#byAge = this.#keys.values();
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

  /** Puts a key at the end of its priority; one that is there already moves from its own. */
  push(key: string, at: { readonly priority: number; readonly nowMs: number }): void {
    const { priority, nowMs } = at;
    const old = this.#keys.get(key);
    const ready: Ready = { key, priority, addedMs: old?.addedMs ?? nowMs, isHusk: false, movedTo: undefined };
    if (old) {
      this.#leave(old);
      old.movedTo = ready;
    }
    this.#keys.set(key, ready);
    const level = this.#levels.get(priority);
    if (level) {
      level.entries.push(ready);
      level.live++;
    } else this.#levels.set(priority, { entries: [ready], head: 0, live: 1 });
  }

  /** Takes the key whose turn it is. */
  pop(): Ready | undefined {
    const urgent = this.#mostUrgent();
    if (!urgent) return undefined;
    const oldest = this.#longestWaiting();
    const isOvertaken = oldest !== undefined && oldest !== urgent;
    const isOldestDue = isOvertaken && this.#overtakes >= this.#maxOvertakes;
    this.#overtakes = isOvertaken && !isOldestDue ? this.#overtakes + 1 : 0;
    const next = isOldestDue ? oldest : urgent;
    this.#keys.delete(next.key);
    this.#leave(next);
    return next;
  }

  /** Drops everything; answers how many keys of which priority there were. */
  clear(): ReadonlyMap<number, number> {
    const counts = new Map([...this.#levels].map(([priority, level]) => [priority, level.live]));
    this.#levels.clear();
    this.#keys.clear();
    return counts;
  }

  #mostUrgent(): Ready | undefined {
    let best: number | undefined;
    for (const priority of this.#levels.keys()) if (best === undefined || priority > best) best = priority;
    return best === undefined ? undefined : this.#head(this.#levels.get(best)!);
  }

  #longestWaiting(): Ready | undefined {
    for (;;) {
      while (this.#oldest?.movedTo) this.#oldest = this.#oldest.movedTo;
      if (this.#oldest && !this.#oldest.isHusk) return this.#oldest;
      let next = this.#byAge.next();
      if (next.done) {
        // An iterator that has ended does not see what is added later.
        this.#byAge = this.#keys.values();
        next = this.#byAge.next();
      }
      if (next.done) return undefined;
      this.#oldest = next.value;
    }
  }

  #head(level: Level): Ready | undefined {
    while (level.entries[level.head]?.isHusk) level.head++;
    // Taken entries are cut off in blocks, so that taking one is cheap.
    if (level.head > 1024 && level.head * 2 > level.entries.length) {
      level.entries.splice(0, level.head);
      level.head = 0;
    }
    return level.entries[level.head];
  }

  #leave(ready: Ready): void {
    ready.isHusk = true;
    const level = this.#levels.get(ready.priority)!;
    if (--level.live === 0) this.#levels.delete(ready.priority);
  }
}
