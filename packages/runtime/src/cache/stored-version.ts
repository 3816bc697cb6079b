import { compareResourceVersions } from '@kubewright/apimachinery/internal';

/** The parts of an object needed to compare it with a write. */
export interface StoredVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string | undefined;
}

/** True if the watch, by showing the version `shown`, resolves whether the deletion of `version` succeeded. */
export function isDeletionOf(version: StoredVersion, shown: StoredVersion): boolean {
  if (!reached(shown, version)) return false;
  return shown.uid !== version.uid || shown.deletionTimestamp !== undefined;
}

/** True if `stored` is at least as new as `written`. Incomparable versions count as newer: the watch is trusted. */
export function reached(stored: StoredVersion, written: StoredVersion): boolean {
  const order = compareResourceVersions(stored.resourceVersion, written.resourceVersion);
  return order === undefined || order >= 0;
}
