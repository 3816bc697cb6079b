interface Ready {
  readonly key: string;
  readonly priority: number;
  /** The time at which the key was first added. */
  readonly addedMs: number;
  /** True once the key was handed out or moved to another priority. Checking the entry avoids a lookup of its key. */
  isStale: boolean;
  /** The entry that the key moved to; undefined if the key did not move. */
  movedTo: Ready | undefined;
}

/** Entries of one priority, in FIFO order; entries whose keys have left stay until they reach the head, where they are skipped. */
interface Level {
  readonly entries: Ready[];
  head: number;
  live: number;
}

/**
 * Keys that are ready to be handed out: highest priority first, FIFO within a priority. No key starves: after
 * `maxOvertakes` keys in a row were handed out before the key that has waited longest, the longest-waiting key is next,
 * regardless of its priority. While more urgent keys wait, low-priority keys therefore get at most one turn in
 * `maxOvertakes + 1`. A key whose priority is raised keeps its age.
 */
export class ReadyQueue {
  readonly #maxOvertakes: number;
  /** Ordered by age: a map keeps the position of a key that is set again. */
  readonly #keys = new Map<string, Ready>();
  readonly #levels = new Map<number, Level>();
  /** Kept between calls, because a new iterator would step over all deleted entries. */
  #byAge: Iterator<Ready>;
  #oldest: Ready | undefined;
  /** Number of keys handed out in a row before the oldest key. */
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

  /** Iterates over all keys, in no particular order. */
  keys(): Iterable<Pick<Ready, 'key' | 'priority'>> {
    return this.#keys.values();
  }

  /** Appends a key to its priority; a key that is already queued moves to the new priority. */
  push(key: string, at: { readonly priority: number; readonly nowMs: number }): void {
    const { priority, nowMs } = at;
    const old = this.#keys.get(key);
    const ready: Ready = { key, priority, addedMs: old?.addedMs ?? nowMs, isStale: false, movedTo: undefined };
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

  /** Removes and returns the next key. */
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

  /** Removes all keys; returns their number by priority. */
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
      if (this.#oldest && !this.#oldest.isStale) return this.#oldest;
      let next = this.#byAge.next();
      if (next.done) {
        // A finished iterator does not return entries that are added later.
        this.#byAge = this.#keys.values();
        next = this.#byAge.next();
      }
      if (next.done) return undefined;
      this.#oldest = next.value;
    }
  }

  #head(level: Level): Ready | undefined {
    while (level.entries[level.head]?.isStale) level.head++;
    // Taken entries are removed in blocks, so that taking an entry is cheap.
    if (level.head > 1024 && level.head * 2 > level.entries.length) {
      level.entries.splice(0, level.head);
      level.head = 0;
    }
    return level.entries[level.head];
  }

  #leave(ready: Ready): void {
    ready.isStale = true;
    const level = this.#levels.get(ready.priority)!;
    if (--level.live === 0) this.#levels.delete(ready.priority);
  }
}
