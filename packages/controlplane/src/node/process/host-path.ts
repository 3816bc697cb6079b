import { join, posix } from 'node:path';
import type { VolumeMount } from '../driver.ts';

/**
 * Converts a path inside a container to a path on this machine: within the longest mount that contains it, or else
 * under the container's root folder.
 */
export function hostPathOf(containerPath: string, mounts: readonly VolumeMount[], root: string): string {
  const path = posix.normalize(`/${containerPath}`);
  const mount = mountOf(path, mounts);
  if (mount === undefined) return join(root, path);
  return join(mount.hostPath, path.slice(trimmed(mount.mountPath).length));
}

/**
 * Splits a path inside a container into its folder on this machine (a volume, or else the container's root) and the path below
 * it.
 */
export function placeOf(
  containerPath: string,
  mounts: readonly VolumeMount[],
  root: string,
): { readonly volume: string; readonly below: string } {
  const path = posix.normalize(`/${containerPath}`);
  const mount = mountOf(path, mounts);
  if (mount === undefined) return { volume: root, below: path };
  const { volume, below } = mount.subPath ?? { volume: mount.hostPath, below: '' };
  return { volume, below: join(below, path.slice(trimmed(mount.mountPath).length)) };
}

/**
 * Replaces mount paths in a string (an argument or environment value) with their locations on this machine. A process
 * without its own root file system finds nothing at the original path.
 */
export function rewriteMountPaths(text: string, mounts: readonly VolumeMount[]): string {
  if (!text.includes('/')) return text;
  const byLength = [...mounts].sort((a, b) => b.mountPath.length - a.mountPath.length);
  const pattern = byLength.map(({ mountPath }) => literal(trimmed(mountPath))).filter((source) => source !== '');
  if (pattern.length === 0) return text;
  // Match whole paths: no path character precedes them, and a separator or the end follows.
  const paths = new RegExp(`(?<![\\w./-])(?:${pattern.join('|')})(?![\\w.-])`, 'g');
  return text.replace(paths, (found) => mountOf(found, mounts)?.hostPath ?? found);
}

/** Returns the deepest mount that contains a path of the container. */
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
