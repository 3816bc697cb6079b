import type { ReadStream } from 'node:tty';

const ctrlC = '\u0003';
const ctrlZ = '\u001a';

/** Reads single keys from a terminal, and sees to it that the terminal is as before whatever ends the process. */
export function terminalKeys(stdin: ReadStream, onKey: (key: string) => void): Disposable {
  const setRaw = (raw: boolean): void => {
    try {
      stdin.setRawMode(raw);
    } catch {
      // The terminal was closed: nobody is left to see it.
    }
  };
  const onData = (data: Buffer): void => {
    for (const key of data.toString('utf8')) {
      // Raw means that the terminal makes no signals of keys.
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
