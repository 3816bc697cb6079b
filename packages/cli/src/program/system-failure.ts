import { dirname } from 'node:path';
import type { Message } from './cli-error.ts';
import { shellWord } from './shell-word.ts';

/** An error of a file system call. */
interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  /** Undefined for reads and writes of an open file. */
  readonly path?: string;
}

/** Explains a failed file system call: which file, why, and what to do. Returns undefined for every other error. */
export function systemFailure(error: unknown): Message | undefined {
  if (!isSystemError(error)) return undefined;
  const { code, syscall, path = 'a file' } = error;
  const found = reasons[code];
  if (!found) return undefined;
  const what = `cannot ${verbs[syscall] ?? 'use'} ${shortened(path)}`;
  if (syscall === 'mkdtemp') {
    const remedy = 'set TMPDIR to a folder that exists and that you can write to, such as TMPDIR=/tmp';
    return { what, why: `${found.why}; the folder for temporary files is taken from TMPDIR`, remedy };
  }
  return { what, why: found.why, remedy: found.remedy(path) };
}

function isSystemError(error: unknown): error is SystemError {
  if (!(error instanceof Error)) return false;
  const { code, syscall, path } = error as Partial<SystemError>;
  if (typeof code !== 'string' || typeof syscall !== 'string') return false;
  return typeof path === 'string' || (path === undefined && ['read', 'write'].includes(syscall));
}

const verbs: Readonly<Record<string, string>> = {
  open: 'open',
  read: 'read',
  write: 'write',
  mkdir: 'create the folder',
  mkdtemp: 'create a temporary folder',
  scandir: 'list the folder',
  opendir: 'list the folder',
  unlink: 'delete',
  rm: 'delete',
  rmdir: 'delete the folder',
  rename: 'rename',
  copyfile: 'copy',
  chmod: 'change the permissions of',
  symlink: 'link',
  watch: 'watch',
};

interface Reason {
  readonly why: string;
  readonly remedy: (path: string) => string;
}

const writable = (path: string): string =>
  `let this user write there, such as chmod u+rwx ${shellWord(shortened(dirname(path)))}, or work in another folder`;
const disk = (): string => 'free some space, or work in a folder of another disk';

const reasons: Readonly<Record<string, Reason>> = {
  EACCES: { why: 'permission denied', remedy: writable },
  EPERM: { why: 'the operation is not permitted', remedy: writable },
  EROFS: { why: 'the file system is read-only', remedy: () => 'work in a folder that can be written to' },
  ENAMETOOLONG: {
    why: 'the name or the path is too long',
    remedy: () => 'choose a shorter name, or a folder nearer the root',
  },
  ENOSPC: { why: 'no space is left on the disk', remedy: disk },
  EDQUOT: { why: 'the disk quota is used up', remedy: disk },
  EMFILE: { why: 'this process has too many open files', remedy: () => 'raise the limit: ulimit -n 4096' },
  ENFILE: {
    why: 'the system has too many open files',
    remedy: () => 'close programs, or raise the limit of the system',
  },
  ENOTDIR: {
    why: 'a part of the path is a file, not a folder',
    remedy: () => 'name another path, or move that file away',
  },
  EISDIR: { why: 'it is a folder, not a file', remedy: () => 'name a file' },
  EEXIST: { why: 'a file of that name exists', remedy: () => 'name another path, or move that file away' },
  ENOENT: {
    why: 'there is no such file or folder',
    remedy: () => 'check the path; something may have deleted it meanwhile',
  },
  ELOOP: { why: 'its symbolic links lead in a circle', remedy: () => 'correct the links' },
};

/** Shortens a path that would hide the rest of the sentence. */
function shortened(path: string): string {
  return path.length <= 120 ? path : `${path.slice(0, 60)}…${path.slice(-40)} (${path.length} characters)`;
}
