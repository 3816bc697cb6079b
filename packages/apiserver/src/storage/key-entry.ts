import type { KeyDirectory } from './key-directory.ts';
import type { StoredObject } from './storage.ts';

/** A key with its versions, newest first. It is kept until the key's deletion has been compacted. */
export interface KeyEntry {
  readonly key: string;
  readonly home: KeyDirectory;
  head: KeyVersion;
  removed: boolean;
}

/** The state of a key as of one revision. */
export interface KeyVersion {
  readonly revision: number;
  /** Absent if the key was deleted at {@link revision}. */
  readonly object: StoredObject | undefined;
  /** The previous version, if history still holds it. */
  previous: KeyVersion | undefined;
}

/** Returns the object of a key at a revision; `undefined` if the key did not exist then. */
export function versionAt(entry: KeyEntry, revision: number): StoredObject | undefined {
  let version: KeyVersion | undefined = entry.head;
  while (version && version.revision > revision) version = version.previous;
  return version?.object;
}
