import type { BackupManifest } from './backup-manifest.ts';

/** Prefix of incremental files, which contain only the blocks that changed since the previous backup. */
const incrementalPrefix = 'INCREMENTAL.';

/**
 * Returns the space that `pg_combinebackup` needs for its result, from the manifests of a full backup and its
 * incremental ones. If the last backup has only a file's changed blocks, the file counts with the size of its last
 * complete copy.
 */
export function combinedBytes(
  manifests: readonly BackupManifest[],
  { linksFiles }: { /** True if complete files are linked instead of copied. */ readonly linksFiles: boolean },
): number {
  const complete = new Map<string, number>();
  let needed = 0;
  for (const [index, { files }] of manifests.entries()) {
    const isLast = index === manifests.length - 1;
    for (const { path, sizeBytes } of files) {
      const whole = completePath(path);
      if (isLast)
        needed += whole === undefined ? (linksFiles ? 0 : sizeBytes) : Math.max(sizeBytes, complete.get(whole) ?? 0);
      if (whole === undefined) complete.set(path, sizeBytes);
    }
  }
  return needed;
}

/** Returns the path of the complete file for an incremental file, or undefined for any other file. */
function completePath(path: string): string | undefined {
  const start = path.lastIndexOf('/') + 1;
  if (!path.startsWith(incrementalPrefix, start)) return undefined;
  return path.slice(0, start) + path.slice(start + incrementalPrefix.length);
}
