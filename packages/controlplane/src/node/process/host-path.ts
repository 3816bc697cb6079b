import { join, posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';

/**
 * Turns a path inside a container into one of this machine: the longest mount that holds it, else a place below the
 * container's own root folder.
 */
export function hostPathOf(containerPath: string, mounts: readonly VolumeMount[], root: string): string {
  const path = posix.normalize(`/${containerPath}`);
  const mount = mountOf(path, mounts);
  if (mount === undefined) return join(root, path);
  return join(mount.hostPath, path.slice(trimmed(mount.mountPath).length));
}

/**
 * Replaces mount paths in a text (an argument, an environment value) by where they are on this machine, for a process
 * without a root file system of its own sees nothing at the original place.
 */
export function rewriteMountPaths(text: string, mounts: readonly VolumeMount[]): string {
  if (!text.includes('/')) return text;
  const byLength = [...mounts].sort((a, b) => b.mountPath.length - a.mountPath.length);
  const pattern = byLength.map(({ mountPath }) => literal(trimmed(mountPath))).filter((source) => source !== '');
  if (pattern.length === 0) return text;
  // A path begins where no path character stands before it and ends at a separator.
  const paths = new RegExp(`(?<![\\w./-])(?:${pattern.join('|')})(?![\\w.-])`, 'g');
  return text.replace(paths, (found) => mountOf(found, mounts)?.hostPath ?? found);
}

/** The mount that holds a path of the container: the one that lies deepest. */
export function mountOf(path: string, mounts: readonly VolumeMount[]): VolumeMount | undefined {
  return mounts
    .filter(({ mountPath }) => path === trimmed(mountPath) || path.startsWith(`${trimmed(mountPath)}/`))
    .sort((a, b) => b.mountPath.length - a.mountPath.length)[0];
}

function trimmed(mountPath: string): string {
  return posix.normalize(mountPath).replace(/\/+$/, '');
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
