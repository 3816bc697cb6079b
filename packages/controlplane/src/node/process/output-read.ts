import type { ChildProcess } from 'node:child_process';
import { type Clock, sleep } from '@kubewright/apimachinery';

/** One look at whether more output came, in milliseconds. */
const lookMs = 50;
/** Without output for so many looks, all is read: a busy loop reads between two looks what was waiting. */
const quietLooks = 4;
/** A process that lives on and writes without end is listened to for so many looks. */
const mostLooks = 40;

/**
 * Resolves when all that an ended process wrote is read, and then closes its output. Usually at once: at the end of the
 * streams. Somebody else who holds them open (a process that left for a session of its own) does not hold this up long.
 */
export async function outputRead(child: ChildProcess, clock: Clock): Promise<void> {
  const closed = new AbortController();
  const onClose = (): void => closed.abort();
  child.once('close', onClose);
  let quiet = 0;
  const onData = (): void => {
    quiet = 0;
  };
  child.stdout?.on('data', onData);
  child.stderr?.on('data', onData);
  const isOpen = ({ stdout, stderr }: ChildProcess): boolean =>
    (stdout !== null && !stdout.closed) || (stderr !== null && !stderr.closed);
  for (let look = 0; isOpen(child) && quiet < quietLooks && look < mostLooks; look++) {
    quiet++;
    // Rejected when the streams end, which is what we wait for.
    await sleep(clock, { ms: lookMs, signal: closed.signal }).catch(() => undefined);
  }
  child.off('close', onClose);
  child.stdout?.destroy();
  child.stderr?.destroy();
}
