import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process for longer than its number: pids are used again, pid and start time together are not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in the operating system's own terms; empty where the system does not say. */
  readonly started: string;
}

/** Identifies a running process. */
export function processIdentity(pid: number): ProcessIdentity {
  return { pid, started: startTime(pid) };
}

/** True if that very process still runs. */
export function isSameProcess(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it runs, as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return identity.started === startTime(identity.pid);
}

function startTime(pid: number): string {
  try {
    // Field 22 of stat; the command name before it may hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, whatever its number says.
    return fields[0] === 'Z' ? 'ended' : (fields[19] ?? '');
  } catch {
    if (process.platform === 'linux' || process.platform === 'win32') return '';
    return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
  }
}
