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

/** What Linux says of a process: whether it has ended and waits to be asked after, its session, its start. */
export function processStat(
  pid: number,
): { readonly ended: boolean; readonly session: number; readonly started: string } | undefined {
  try {
    // The command name, second of the fields, may hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { ended: fields[0] === 'Z', session: Number(fields[3]), started: fields[19] ?? '' };
  } catch {
    // Gone, or a system without /proc.
    return undefined;
  }
}

function startTime(pid: number): string {
  const stat = processStat(pid);
  // A zombie has ended, whatever its number says.
  if (stat) return stat.ended ? 'ended' : stat.started;
  if (process.platform === 'linux' || process.platform === 'win32') return '';
  return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
