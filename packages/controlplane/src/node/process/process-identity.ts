import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process beyond its pid: pids are reused, but the combination of pid and start time is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Start time in the operating system's format; empty if the system does not report it. */
  readonly started: string;
}

/** Identifies a running process. */
export function processIdentity(pid: number): ProcessIdentity {
  return { pid, started: startTime(pid) };
}

/** True if the identified process is still running. */
export function isSameProcess(identity: ProcessIdentity): boolean {
  try {
    process.kill(identity.pid, 0);
  } catch (error) {
    // EPERM: it is running as another user.
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  return identity.started === startTime(identity.pid);
}

/** True if the process has ended and its pid now belongs to another process. */
export function isReplaced({ pid, started }: ProcessIdentity): boolean {
  const current = startTime(pid);
  return current !== '' && current !== endedTime && current !== started;
}

/** Start time that {@link readStat} returns for a process that has ended but has not been reaped. */
export const endedTime = 'ended';

/** Parses Linux's `/proc/PID/stat`. */
export function readStat(stat: string): {
  readonly parent: number;
  readonly session: number;
  readonly started: string;
} {
  // The command name comes second and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  // A zombie has ended, even though its pid is still in use.
  const started = fields[0] === 'Z' || fields[0] === 'X' ? endedTime : (fields[19] ?? '');
  return { parent: Number(fields[1]), session: Number(fields[3]), started };
}

function startTime(pid: number): string {
  try {
    return readStat(readFileSync(`/proc/${pid}/stat`, 'latin1')).started;
  } catch {
    if (process.platform === 'linux' || process.platform === 'win32') return '';
    return startTimeByPs(pid);
  }
}

/** Returns the start time of a process as reported by `ps`; empty if it does not exist. */
export function startTimeByPs(pid: number): string {
  return spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).stdout?.trim() ?? '';
}
