import type { EventEmitter } from 'node:events';

/** An AbortSignal that is aborted when the user asks the program to stop. */
export interface StopOnSignals extends Disposable {
  readonly signal: AbortSignal;
  /** 128 plus the number of the received signal, as in shells; 0 if none was received. */
  readonly exitCode: number;
}

const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;

/**
 * Listens for Ctrl-C, `kill`, a closed terminal, and closed output. Ignores a second signal: npm forwards a Ctrl-C that
 * the terminal has already sent to this process. So a second Ctrl-C cannot force an exit, and the program must always
 * exit on its own.
 */
export function stopOnSignals(process: EventEmitter, output: EventEmitter): StopOnSignals {
  const controller = new AbortController();
  let exitCode = 0;
  const stop = (name: keyof typeof numbers): void => {
    exitCode ||= 128 + numbers[name];
    controller.abort(new Error(`stopped by ${name}`));
  };
  const closed = (error?: NodeJS.ErrnoException): void => {
    // A full disk is not a request to stop.
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
      // The output's error listener stays, because an error may still arrive after the run.
    },
  };
}
