/** The reason why a folder cannot be used, and the remedy. */
export interface FolderFault {
  /** The system's message, with an explanation. */
  readonly why: string;
  /** An imperative. */
  readonly remedy: string;
}

/**
 * Explains a system error for a folder, or for a file in the folder.
 *
 * @param options - `instead`: an imperative that names another folder, such as `set TMPDIR to another folder`.
 */
export function folderFault(
  error: unknown,
  { path, instead }: { readonly path: string; readonly instead: string },
): FolderFault {
  const why = error instanceof Error ? error.message : String(error);
  switch ((error as { readonly code?: unknown } | undefined)?.code) {
    case 'ENOENT':
      return { why, remedy: `create the folder (mkdir -p ${path}), or ${instead}` };
    case 'ENOTDIR':
      return { why, remedy: `replace the file in the path ${path} with a folder, or ${instead}` };
    case 'EEXIST':
      return { why, remedy: `replace the file ${path} with a folder, or ${instead}` };
    case 'ENAMETOOLONG': {
      const longest = Math.max(...path.split(/[/\\]/).map(({ length }) => length));
      const size = `the path has ${path.length} characters, and its longest file name ${longest}; most systems allow 4,095 and 255`;
      return { why: `${why} (${size})`, remedy: `${instead} with a shorter path` };
    }
    case 'EROFS':
      return { why, remedy: `remount the file system read-write, or ${instead}` };
    case 'ENOSPC':
    case 'EDQUOT':
      return { why, remedy: `free disk space, or ${instead}` };
    case 'EMFILE':
    case 'ENFILE':
      return { why, remedy: 'close other programs, or raise the limit on open files (ulimit -n)' };
    default:
      return { why, remedy: `make ${path} writable for this user, or ${instead}` };
  }
}
