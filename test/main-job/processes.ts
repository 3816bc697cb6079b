import { spawnSync } from 'node:child_process';
import { readlinkSync } from 'node:fs';

/** Running processes that name a folder in their command line, or work in it. */
export function processesIn(folder: string): readonly string[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,args='], { encoding: 'utf8' });
  const lines = stdout.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.includes(folder) || worksIn(line.split(' ', 1)[0] ?? '', folder));
}

/** A PostgreSQL server's children do not name its data directory any more; they stand in it. */
function worksIn(pid: string, folder: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    // Gone, not ours to see, or a system without /proc.
    return false;
  }
}
