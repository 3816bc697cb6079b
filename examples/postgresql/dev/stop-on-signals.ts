import type { EventEmitter } from 'node:events';

/** A signal that is aborted when the user asks the program to stop. */
export interface StopOnSignals extends Disposable {
  readonly signal: AbortSignal;
}

/** Listens for Ctrl-C, `kill` and a closed terminal. Once asked, the program has to end by itself. */
export function stopOnSignals(process: EventEmitter): StopOnSignals {
  const controller = new AbortController();
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const stop = (name: string): void => controller.abort(new Error(`stopped by ${name}`));
  for (const name of names) process.on(name, stop);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of names) process.off(name, stop);
    },
  };
}
