import type { ReadStream } from 'node:tty';

const ctrlC = '\u0003';
const ctrlZ = '\u001a';

/** Reads single keys from a terminal and restores the terminal however the process exits. */
export function terminalKeys(stdin: ReadStream, onKey: (key: string) => void): Disposable {
  const setRaw = (raw: boolean): void => {
    try {
      stdin.setRawMode(raw);
    } catch {
      // The terminal was closed, so there is nothing to restore.
    }
  };
  const onData = (data: Buffer): void => {
    for (const key of data.toString('utf8')) {
      // In raw mode, the terminal does not turn keys into signals.
      if (key === ctrlC) process.kill(process.pid, 'SIGINT');
      else if (key === ctrlZ && process.platform !== 'win32') {
        setRaw(false);
        process.kill(process.pid, 'SIGTSTP');
      } else onKey(key);
    }
  };
  const restore = (): void => setRaw(false);
  const resume = (): void => setRaw(true);
  setRaw(true);
  stdin.on('data', onData).resume();
  process.on('exit', restore);
  if (process.platform !== 'win32') process.on('SIGCONT', resume);
  return {
    [Symbol.dispose]() {
      stdin.off('data', onData).pause();
      process.off('exit', restore).off('SIGCONT', resume);
      restore();
    },
  };
}
