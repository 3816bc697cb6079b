import { readFileSync } from 'node:fs';
import { readdir, readlink, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';

/** Time limit of an immediate shutdown, after which the processes are killed. */
const shutdownMs = 5_000;
const pollMs = 20;

/**
 * Returns the IDs of the processes that use a data directory: a server of an earlier instance manager, or backends that outlived
 * a killed server. The data directory is their working directory. On a system without /proc, finds only the postmaster.
 */
export async function serverProcesses(dataDirectory: string): Promise<readonly number[]> {
  const directory = await realpath(dataDirectory).catch(() => undefined);
  if (directory === undefined) return [];
  let names: readonly string[];
  try {
    names = await readdir('/proc');
  } catch {
    // This system has no /proc.
    return postmasterOf(directory).filter(isAlive);
  }
  const pids = names.filter((name) => /^\d+$/.test(name)).map(Number);
  const found = await Promise.all(
    pids.map(async (pid) => {
      // Fails for processes of other users, and for processes that have just ended.
      const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
      return folder === directory ? [pid] : [];
    }),
  );
  return found.flat();
}

/** Ends all processes that use a data directory, waits until they have ended, and returns their number. */
export async function endServerProcesses(dataDirectory: string, clock: Clock): Promise<number> {
  const found = await serverProcesses(dataDirectory);
  const postmaster = postmasterOf(dataDirectory).filter((pid) => found.includes(pid));
  for (const pid of postmaster) signalProcess(pid, 'SIGQUIT');
  const deadlineMs = clock.monotonic() + (postmaster.length > 0 ? shutdownMs : 0);
  for (;;) {
    const left = await serverProcesses(dataDirectory);
    if (left.length === 0) return found.length;
    if (clock.monotonic() >= deadlineMs) for (const pid of left) signalProcess(pid, 'SIGKILL');
    await sleep(clock, { ms: pollMs });
  }
}

/** Sends a signal to a process. Does nothing if the process has already ended. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function postmasterOf(dataDirectory: string): readonly number[] {
  try {
    const pid = Number.parseInt(readFileSync(join(dataDirectory, 'postmaster.pid'), 'utf8'), 10);
    return pid > 0 && pid !== process.pid ? [pid] : [];
  } catch {
    // No postmaster.pid: no server is running.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // The process has ended.
    return false;
  }
}
