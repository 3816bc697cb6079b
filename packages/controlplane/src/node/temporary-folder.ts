import { accessSync, constants, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderFault } from '@kubewright/apimachinery';
import { canReach } from './process/reachable-programs.ts';

/** A folder that the node needs cannot be used. The message has three lines: what, why, what to do. */
export class NodeFolderError extends Error {
  readonly code = 'KW5215';

  constructor(what: string, options: { readonly path: string; readonly instead: string; readonly cause: unknown }) {
    const { why, remedy } = folderFault(options.cause, options);
    super(`${what}\n  why: ${why}\n  do: ${remedy}`, { cause: options.cause });
    this.name = 'NodeFolderError';
  }
}

/**
 * Longest folder for temporary files below which containers can have sockets: their paths are limited to 107 bytes (103 on
 * macOS), of which the folders of a container and the name of PostgreSQL's socket take 48.
 */
const longestForSockets = 55;

/** A user who owns no folder: a path that this user can enter is open to every container. */
export const stranger = { uid: -1, gid: -1 } as const;

/**
 * Chooses where containers live: the system's folder for temporary files, or `/tmp` where the former is root's alone (as
 * some systems set it up) and containers run as other users, or where its path is too long for sockets.
 *
 * @throws NodeFolderError when the chosen one does not exist or cannot be written.
 */
export function temporaryFolder(
  options: {
    /** @defaultValue the system's folder for temporary files */
    readonly own?: string;
    readonly isRoot?: boolean;
    readonly onTooLong?: (folder: string) => void;
  } = {},
): string {
  const { own = tmpdir(), isRoot = process.getuid?.() === 0, onTooLong } = options;
  const usual = '/tmp';
  usable(own);
  if (isRoot && !canReach(realpathSync(own), stranger)) return usable(usual);
  if (Buffer.byteLength(own) <= longestForSockets || process.platform === 'win32') return own;
  onTooLong?.(own);
  return usable(usual);
}

function usable(folder: string): string {
  try {
    // With the slash, a file in its place is ENOTDIR.
    accessSync(join(folder, '/'), constants.W_OK | constants.X_OK);
    return folder;
  } catch (cause) {
    throw unusable(folder, cause);
  }
}

/** Containers cannot live below a folder. */
export function unusable(folder: string, cause: unknown): NodeFolderError {
  const instead = 'set TMPDIR to another folder';
  return new NodeFolderError(`containers cannot live below ${folder}`, { path: folder, instead, cause });
}
