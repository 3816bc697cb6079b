import type { ChildProcess } from 'node:child_process';
import { type Clock, sleep } from '@kubewright/apimachinery';

/** Interval between checks for more output, in milliseconds. */
const lookMs = 50;
/**
 * Number of checks without new output after which all output counts as read: even a busy loop reads waiting output between two
 * checks.
 */
const quietLooks = 4;
/** Maximum number of checks, in case a process keeps running and writes endlessly. */
const maxLooks = 40;

/**
 * Resolves once all output of an ended process has been read, and then closes the streams. Usually the streams end
 * immediately. A process in another session that still holds the streams open causes only a short delay.
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
  for (let look = 0; isOpen(child) && quiet < quietLooks && look < maxLooks; look++) {
    quiet++;
    // Rejects when the streams end, which is the expected case.
    await sleep(clock, { ms: lookMs, signal: closed.signal }).catch(() => undefined);
  }
  child.off('close', onClose);
  child.stdout?.destroy();
  child.stderr?.destroy();
}
