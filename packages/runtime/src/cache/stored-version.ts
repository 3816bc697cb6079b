import { compareResourceVersions } from '@kubewright/apimachinery/internal';

/** The parts of an object needed to compare it with a write. */
export interface StoredVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly deletionTimestamp?: string | undefined;
}

/** Reports whether the version `shown` by the watch resolves the outcome of the deletion of `version`. */
export function isDeletionOf(version: StoredVersion, shown: StoredVersion): boolean {
  if (!reached(shown, version)) return false;
  return shown.uid !== version.uid || shown.deletionTimestamp !== undefined;
}

/**
 * Reports whether `stored` is at least as new as `written`. If they cannot be compared, `stored` counts as newer,
 * because the watch is trusted.
 */
export function reached(stored: StoredVersion, written: StoredVersion): boolean {
  const order = compareResourceVersions(stored.resourceVersion, written.resourceVersion);
  return order === undefined || order >= 0;
}
