import type { KeyEntry } from './key-entry.ts';

/**
 * The keys directly under one prefix, in byte order: entries and subdirectories.
 *
 * New members wait in a list and are merged when the order is next read. Writes therefore need no search, and the first read
 * after a write costs one pass.
 */
export class KeyDirectory {
  /** The full prefix, ending in `/`; empty for the root. */
  readonly prefix: string;
  readonly parent: KeyDirectory | undefined;
  #sorted: KeyMember[] = [];
  #added: KeyMember[] = [];
  #removed = 0;

  constructor(prefix: string, parent: KeyDirectory | undefined) {
    this.prefix = prefix;
    this.parent = parent;
  }

  /** True if no member is left and the directory itself can be removed. */
  get isEmpty(): boolean {
    return this.#sorted.length + this.#added.length === this.#removed;
  }

  add(member: KeyMember): void {
    this.#added.push(member);
  }

  /** Records that a member has been marked `removed`. */
  noteRemoved(): void {
    this.#removed++;
    // Always true once the directory is empty. The parent may still reference a removed directory, which must not
    // retain its members.
    if (this.#removed * 2 > this.#sorted.length + this.#added.length) this.#dropRemoved();
  }

  /** Returns the members in byte order of their keys. The array is valid until the next change. */
  members(): readonly KeyMember[] {
    if (this.#removed > 0) this.#dropRemoved();
    if (this.#added.length > 0) this.#merge();
    return this.#sorted;
  }

  #dropRemoved(): void {
    const isKept = (member: KeyMember): boolean => !member.removed;
    this.#sorted = this.#sorted.filter(isKept);
    this.#added = this.#added.filter(isKept);
    this.#removed = 0;
  }

  #merge(): void {
    const added = this.#added.sort((a, b) => compareKeys(a.key, b.key));
    this.#added = [];
    const old = this.#sorted;
    const last = old[old.length - 1];
    const first = added[0];
    if (!last || (first && compareKeys(last.key, first.key) < 0)) {
      for (const member of added) old.push(member);
      return;
    }
    const merged: KeyMember[] = [];
    let next = 0;
    for (const member of added) {
      for (let other = old[next]; other && compareKeys(other.key, member.key) < 0; other = old[++next]) {
        merged.push(other);
      }
      merged.push(member);
    }
    for (; next < old.length; next++) merged.push(old[next] as KeyMember); // in bounds
    this.#sorted = merged;
  }
}

/** A member of a directory: a key or a subdirectory. The `key` of a subdirectory is its prefix. */
export type KeyMember = KeyEntry | SubDirectory;

/** A directory as a member of its parent. */
export interface SubDirectory {
  readonly key: string;
  readonly directory: KeyDirectory;
  removed: boolean;
}

/** Returns the index of the first member whose key, or any key under it, comes after `after`. */
export function firstAfter(members: readonly KeyMember[], after: string): number {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const member = members[middle] as KeyMember; // in bounds
    const isBefore = compareKeys(member.key, after) <= 0 && !('directory' in member && after.startsWith(member.key));
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Compares keys by their UTF-8 bytes, the order that durable stores use. */
function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    // UTF-16 puts surrogates (code points from U+10000) before U+E000…U+FFFF; UTF-8 puts them last.
    if (x !== y) return byteRank(x) - byteRank(y);
  }
  return a.length - b.length;
}

function byteRank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
