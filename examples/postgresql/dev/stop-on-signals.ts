import type { EventEmitter } from 'node:events';

/** A signal that is aborted when the user asks the program to stop. */
export interface StopOnSignals extends Disposable {
  readonly signal: AbortSignal;
  /** 128 and the number of the operating system's signal, as shells count; 0 when none came. */
  readonly exitCode: number;
}

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Listens for Ctrl-C, `kill`, a closed terminal, and closed output. The program must then exit by itself: npm forwards a
 * Ctrl-C that the terminal has already sent, so a second one has no meaning.
 */
export function stopOnSignals(process: EventEmitter, output: EventEmitter): StopOnSignals {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: keyof typeof numbers): void => {
    exitCode ||= 128 + numbers[name];
    controller.abort(new Error(`stopped by ${name}`));
  };
  const closed = (error?: NodeJS.ErrnoException): void => {
    // A log on a full disk is not a request to stop.
    if (error?.code !== 'ENOSPC' && error?.code !== 'EDQUOT') controller.abort(new Error('the output was closed'));
  };
  const names = Object.keys(numbers) as (keyof typeof numbers)[];
  for (const name of names) process.on(name, stop);
  output.on('error', closed);
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode;
    },
    [Symbol.dispose]() {
      for (const name of names) process.off(name, stop);
      // The output's listener stays: its error may come later than the end of the run.
    },
  };
}
