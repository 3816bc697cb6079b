import type { KeyDirectory } from './key-directory.ts';
import type { StoredObject } from './storage.ts';

/** A key with its versions, newest first; kept until the deletion of its last version has been compacted. */
export interface KeyEntry {
  readonly key: string;
  readonly home: KeyDirectory;
  head: KeyVersion;
  removed: boolean;
}

/** What a key was from one revision on. */
export interface KeyVersion {
  readonly revision: number;
  /** Absent when the key was deleted at {@link revision}. */
  readonly object: StoredObject | undefined;
  /** What it was before, as far as history is kept. */
  previous: KeyVersion | undefined;
}

/** Reads what a key was at a revision. */
export function versionAt(entry: KeyEntry, revision: number): StoredObject | undefined {
  let version: KeyVersion | undefined = entry.head;
  while (version && version.revision > revision) version = version.previous;
  return version?.object;
}
