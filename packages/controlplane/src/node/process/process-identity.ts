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

/** What {@link readStat} says of a process that has ended and was not yet waited for. */
export const endedTime = 'ended';

/** Reads the text of Linux's `/proc/PID/stat`. */
export function readStat(stat: string): { readonly parent: number; readonly started: string } {
  // The command's name comes second and may hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, whatever its number says.
  const started = fields[0] === 'Z' || fields[0] === 'X' ? endedTime : (fields[19] ?? '');
  return { parent: Number(fields[1]), started };
}

function startTime(pid: number): string {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).started;
  } catch {
    if (process.platform === 'linux' || process.platform === 'win32') return '';
    return startTimeByPs(pid);
  }
}

/** When a process started, as `ps` says it; empty when there is none. */
export function startTimeByPs(pid: number): string {
  return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
