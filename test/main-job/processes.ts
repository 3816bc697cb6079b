import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** Returns running processes whose command line contains a folder or whose working directory is in it. */
export function processesIn(folder: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' });
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.includes(folder) || worksIn(line.split(' ', 1)[0] ?? '', folder));
}

/**
 * Reports whether a process works in a folder. Finds the child processes of a PostgreSQL server, whose command lines do
 * not contain its data directory.
 */
function worksIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    // The process has exited, belongs to another user, or the system has no /proc.
    return false;
  }
}
