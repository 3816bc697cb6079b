import { firstAfter, KeyDirectory, type SubDirectory } from './key-directory.ts';
import { type KeyEntry, type KeyVersion, versionAt } from './key-entry.ts';
import type { StorageList, StorageListOptions, StoredObject } from './storage.ts';

/**
 * All keys: one map for point reads, and a directory for every prefix that ends in `/`. Listing one namespace of a resource
 * therefore reads only the keys of that namespace.
 */
export class KeyTree {
  readonly #entries = new Map<string, KeyEntry>();
  readonly #directories = new Map<string, { readonly directory: KeyDirectory; readonly member: SubDirectory }>();

  /** Returns the entry of a key, even if the key has been deleted. */
  get(key: string): KeyEntry | undefined {
    return this.#entries.get(key);
  }

  /** Adds a new version of a key and returns its entry. */
  put(key: string, version: KeyVersion): KeyEntry {
    const known = this.#entries.get(key);
    if (known) {
      version.previous = known.head;
      known.head = version;
      return known;
    }
    const entry: KeyEntry = { key, home: this.#directory(directoryOf(key)), head: version, removed: false };
    this.#entries.set(key, entry);
    entry.home.add(entry);
    return entry;
  }

  /** Drops all versions older than the given version. Removes the key if that version is the newest and a deletion. */
  compact(entry: KeyEntry, version: KeyVersion): void {
    version.previous = undefined;
    if (entry.head !== version || version.object !== undefined) return;
    this.#entries.delete(entry.key);
    entry.removed = true;
    entry.home.noteRemoved();
    this.#prune(entry.home);
  }

  /** Lists the keys under a prefix at a revision. */
  list(options: StorageListOptions & { readonly revision: number }): Omit<StorageList, 'revision'> {
    const { revision, limit = Number.POSITIVE_INFINITY, count = false } = options;
    const walk: Walk = { revision, limit, count, objects: [], remaining: 0 };
    const root = this.#directories.get(options.prefix)?.directory;
    if (root) visit(root, options.after, walk);
    const { objects, remaining } = walk;
    return { objects, more: remaining > 0, ...(count && { remaining }) };
  }

  #directory(prefix: string): KeyDirectory {
    const known = this.#directories.get(prefix);
    if (known) return known.directory;
    const parent = prefix === '' ? undefined : this.#directory(directoryOf(prefix.slice(0, -1)));
    const directory = new KeyDirectory(prefix, parent);
    const member: SubDirectory = { key: prefix, directory, removed: false };
    parent?.add(member);
    this.#directories.set(prefix, { directory, member });
    return directory;
  }

  #prune(start: KeyDirectory): void {
    for (let directory = start; directory.isEmpty && directory.parent; directory = directory.parent) {
      const { member } = this.#directories.get(directory.prefix) as { readonly member: SubDirectory }; // always present
      this.#directories.delete(directory.prefix);
      member.removed = true;
      directory.parent.noteRemoved();
    }
  }
}

interface Walk {
  readonly revision: number;
  readonly limit: number;
  /** If false, the walk ends at the first object beyond the limit. */
  readonly count: boolean;
  readonly objects: StoredObject[];
  remaining: number;
}

function visit(directory: KeyDirectory, after: string | undefined, walk: Walk): void {
  const members = directory.members();
  const start = after === undefined ? 0 : firstAfter(members, after);
  for (let i = start; i < members.length && (walk.count || walk.remaining === 0); i++) {
    const member = members[i] as KeyEntry | SubDirectory; // in bounds
    if ('directory' in member) {
      visit(member.directory, i === start ? after : undefined, walk);
      continue;
    }
    const object = versionAt(member, walk.revision);
    if (!object) continue;
    if (walk.objects.length < walk.limit) walk.objects.push(object);
    else walk.remaining++;
  }
}

function directoryOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/') + 1);
}
