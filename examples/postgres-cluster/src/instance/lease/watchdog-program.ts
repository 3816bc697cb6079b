import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type Clock, sleep } from '@kubewright/apimachinery';
import { serverProcesses, signalProcess } from '../server/server-processes.ts';

/** The line that lets the server run without a limit. Other lines are times of {@link systemMs}. */
export const disarmed = 'off';

const pollMs = 20;

/** Returns the milliseconds of a monotonic clock that all processes of the machine share. */
export function systemMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

export interface WatchdogEnvironment {
  readonly dataDirectory: string;
  /** Lines with the time until which the server may run. */
  readonly input: Readable;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Kills the server at the last time that the input contains, unless the input ends before: if the instance manager dies, the
 * server stops with it, and the next instance manager may start another one in the same directory. Returns the exit code.
 */
export async function runWatchdog({ dataDirectory, input, clock, log }: WatchdogEnvironment): Promise<number> {
  let waiting = new AbortController();
  let ended: Promise<void> = Promise.resolve();
  for await (const line of createInterface({ input })) {
    waiting.abort();
    await ended;
    waiting = new AbortController();
    if (line === disarmed) continue;
    const ms = Math.max(Number(line) - systemMs(), 0);
    ended = sleep(clock, { ms, signal: waiting.signal }).then(
      () => killServer(dataDirectory, { clock, log }),
      () => undefined,
    );
  }
  waiting.abort();
  await ended;
  return 0;
}

/** Kills all processes of the server, and waits until they have ended. */
async function killServer(
  dataDirectory: string,
  { clock, log }: { readonly clock: Clock; readonly log: (line: string) => void },
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    const found = await serverProcesses(dataDirectory);
    if (found.length === 0) return;
    if (isFirst) log('killing the server: the instance manager does not respond, and the Lease is about to expire');
    for (const pid of found) signalProcess(pid, 'SIGKILL');
    await sleep(clock, { ms: pollMs });
  }
}
