/** The events of several watchers, kept until the slowest watcher has read them. */
export interface UnreadEvents {
  /**
   * Drops the events that all watchers have read. Returns the size of the remaining events, and the user of the slowest watcher
   * or undefined if that user has no limit.
   */
  unread(): { readonly owner: string | undefined; readonly bytes: number };
  /** Ends the slowest watcher. */
  cutSlowest(): void;
}

/** Limits the bytes of events that are kept for the watchers of one user. */
export class UnreadLimit {
  /** Unread events are checked each time they have grown by this many bytes. */
  readonly stepBytes: number;
  readonly #maxBytes: number;
  readonly #charges = new Map<UnreadEvents, { readonly owner: string; readonly bytes: number }>();
  readonly #owners = new Map<string, { total: number; readonly events: Set<UnreadEvents> }>();

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.stepBytes = Math.ceil(maxBytes / 64);
  }

  /**
   * Charges unread events to the user of their slowest watcher. While that user exceeds the limit, ends the slowest watcher of
   * the largest group of events charged to the user.
   */
  check(events: UnreadEvents): void {
    const owner = this.#charge(events);
    while (owner !== undefined && this.#total(owner) > this.#maxBytes) {
      // Charge again, because some events may have been read since the last charge.
      for (const each of [...(this.#owners.get(owner)?.events ?? [])]) this.#charge(each);
      if (this.#total(owner) <= this.#maxBytes) return;
      const largest = this.#largest(owner);
      if (!largest) return;
      largest.cutSlowest();
      this.#charge(largest);
    }
  }

  /** Removes the charge for events that no longer have watchers. */
  forget(events: UnreadEvents): void {
    const charge = this.#charges.get(events);
    const account = charge && this.#owners.get(charge.owner);
    if (!account) return;
    this.#charges.delete(events);
    account.events.delete(events);
    account.total -= charge.bytes;
    if (account.events.size === 0) this.#owners.delete(charge.owner);
  }

  #charge(events: UnreadEvents): string | undefined {
    this.forget(events);
    const { owner, bytes } = events.unread();
    if (owner === undefined || bytes === 0) return undefined;
    const account = this.#owners.get(owner) ?? { total: 0, events: new Set() };
    this.#owners.set(owner, account);
    account.total += bytes;
    account.events.add(events);
    this.#charges.set(events, { owner, bytes });
    return owner;
  }

  #total(owner: string): number {
    return this.#owners.get(owner)?.total ?? 0;
  }

  #largest(owner: string): UnreadEvents | undefined {
    let largest: UnreadEvents | undefined;
    for (const events of this.#owners.get(owner)?.events ?? []) {
      const bytes = this.#charges.get(events)?.bytes ?? 0;
      if (!largest || bytes > (this.#charges.get(largest)?.bytes ?? 0)) largest = events;
    }
    return largest;
  }
}
