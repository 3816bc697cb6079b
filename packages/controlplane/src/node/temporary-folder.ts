import { accessSync, constants, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubewrightError } from '@kubewright/apimachinery';
import { folderFault } from '@kubewright/apimachinery/internal';
import { canReach } from './process/reachable-programs.ts';

/** Thrown if a folder that the node needs cannot be used. */
export class NodeFolderError extends KubewrightError {
  override readonly name = 'NodeFolderError';
  readonly code = 'KW5215';

  constructor(what: string, options: { readonly path: string; readonly instead: string; readonly cause: unknown }) {
    const { why, remedy } = folderFault(options.cause, options);
    super({ what, why, remedy }, options);
  }
}

/**
 * Longest path of a temporary folder in which containers can have sockets. Socket paths are limited to 107 bytes (103
 * on macOS). A container's folders and the name of PostgreSQL's socket take 48 bytes.
 */
const longestForSockets = 55;

/** A user who owns no folder: if this user can enter a path, every container can. */
export const unknownUser = { uid: -1, gid: -1 } as const;

/**
 * Returns the parent folder of the containers' folders: the system's folder for temporary files, or `/tmp` if
 * containers cannot use that folder. They cannot use it if its path is too long for sockets, or if they run as other
 * users and only root can enter it (as on some systems).
 *
 * @throws NodeFolderError if the chosen folder does not exist or is not writable.
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
  if (isRoot && !canReach(realpathSync(own), unknownUser)) return usable(usual);
  if (Buffer.byteLength(own) <= longestForSockets || process.platform === 'win32') return own;
  onTooLong?.(own);
  return usable(usual);
}

function usable(folder: string): string {
  try {
    // The trailing slash makes a file in its place fail with ENOTDIR.
    accessSync(join(folder, '/'), constants.W_OK | constants.X_OK);
    return folder;
  } catch (cause) {
    throw unusable(folder, cause);
  }
}

/** Returns the error for a folder in which the containers' folders cannot be created. */
export function unusable(folder: string, cause: unknown): NodeFolderError {
  const instead = 'set TMPDIR to another folder';
  return new NodeFolderError(`cannot create container folders in ${folder}`, { path: folder, instead, cause });
}
