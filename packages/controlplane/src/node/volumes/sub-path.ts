import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { PinnedPath } from '../pinned-path.ts';
import { VolumeError } from './pod-volumes.ts';

/** A path in a volume, with all links resolved. */
export interface SubPath {
  /** The volume's folder. */
  readonly volume: string;
  /** Path below the folder. */
  readonly below: string;
}

/**
 * Finds a `subPath` in a volume and creates it if it is missing. Containers can write to the volume at the same time,
 * so no link may lead outside. The messages are those of kubelet 1.36, which hide details of the machine's files.
 *
 * @param options - `make`: creates a folder.
 * @throws VolumeError if the path is outside the volume
 */
export function subPathIn(
  volume: string,
  options: {
    readonly subPath: string;
    /** Names of the mount and of the container. */
    readonly mount: string;
    readonly container: string;
    readonly make: (path: string) => void;
  },
): SubPath {
  const { subPath, mount, container, make } = options;
  const fail = (what: string, cause?: unknown): never => {
    throw new VolumeError(mount, what, { cause });
  };
  if (isAbsolute(subPath)) return fail(`error SubPath \`${subPath}\` must not be an absolute path`);
  if (subPath.split(/[/\\]/).includes('..'))
    return fail(`unable to provision SubPath \`${subPath}\`: must not contain '..'`);
  const wanted = join(volume, subPath);
  const of = `for volumeMount "${mount}" of container "${container}"`;
  const what = existsSync(wanted) ? `failed to prepare subPath ${of}` : `failed to create subPath directory ${of}`;
  const root = realpathSync(volume);
  const real = resolved(wanted);
  if (real !== root && !real.startsWith(root + sep)) return fail(what);
  const below = relative(root, real);
  try {
    PinnedPath.within(root, { below, make })[Symbol.dispose]();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return fail(code === 'ELOOP' || code === 'ENOTDIR' ? what : message, error);
  }
  return { volume: root, below };
}

/** Resolves the links in the existing part of a path. */
function resolved(path: string): string {
  if (existsSync(path) || path === dirname(path)) return realpathSync(path);
  return join(resolved(dirname(path)), basename(path));
}
