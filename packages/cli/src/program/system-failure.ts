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
    const remedy = 'set TMPDIR to an existing writable folder, such as TMPDIR=/tmp';
    return { what, why: `${found.why}; TMPDIR determines the folder for temporary files`, remedy };
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
  mkdir: 'create folder',
  mkdtemp: 'create temporary folder',
  scandir: 'list folder',
  opendir: 'list folder',
  unlink: 'delete',
  rm: 'delete',
  rmdir: 'delete folder',
  rename: 'rename',
  copyfile: 'copy',
  chmod: 'change permissions of',
  symlink: 'create the symbolic link',
  watch: 'watch',
};

interface Reason {
  readonly why: string;
  readonly remedy: (path: string) => string;
}

const writable = (path: string): string =>
  `grant write permission: chmod u+rwx ${shellWord(shortened(dirname(path)))}; or use another folder`;
const disk = (): string => 'free some space, or use a folder on another disk';

const reasons: Readonly<Record<string, Reason>> = {
  EACCES: { why: 'permission denied', remedy: writable },
  EPERM: { why: 'operation not permitted', remedy: writable },
  EROFS: { why: 'the file system is read-only', remedy: () => 'use a writable folder' },
  ENAMETOOLONG: {
    why: 'the file name or path is too long',
    remedy: () => 'choose a shorter name, or a folder with a shorter path',
  },
  ENOSPC: { why: 'no space left on the disk', remedy: disk },
  EDQUOT: { why: 'disk quota exceeded', remedy: disk },
  EMFILE: { why: 'this process has too many open files', remedy: () => 'raise the limit: ulimit -n 4096' },
  ENFILE: {
    why: 'the system has too many open files',
    remedy: () => 'close other programs, or raise the system limit on open files',
  },
  ENOTDIR: {
    why: 'part of the path is a file, not a folder',
    remedy: () => 'specify another path, or move the existing file',
  },
  EISDIR: { why: 'the path is a folder, not a file', remedy: () => 'specify a file' },
  EEXIST: {
    why: 'a file with that name already exists',
    remedy: () => 'specify another path, or move the existing file',
  },
  ENOENT: {
    why: 'no such file or folder',
    remedy: () => 'check the path; another program may have deleted it',
  },
  ELOOP: { why: 'the symbolic links in the path form a loop', remedy: () => 'fix the symbolic links' },
};

/** Shortens a long path so that the rest of the message stays readable. */
function shortened(path: string): string {
  return path.length <= 120 ? path : `${path.slice(0, 60)}…${path.slice(-40)} (${path.length} characters)`;
}
