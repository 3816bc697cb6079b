import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { ManagerError } from './manager-error.ts';

/** A signal that stops a manager. */
export interface StopSignal extends Disposable {
  readonly signal: AbortSignal;
}

/** The reason for a stop requested by a signal; a second signal ends the process immediately. */
export class SignalStop extends ManagerError {
  constructor(name: NodeJS.Signals) {
    super({ what: `stopped by ${name}` });
  }
}

/**
 * Joins the caller's signal with SIGINT and SIGTERM. The first of these stops the manager gracefully. Both signals then
 * have their default effect again, so a second signal ends the process immediately.
 */
export function stopSignal(options: {
  readonly outer: AbortSignal | undefined;
  readonly handleSignals: boolean;
  readonly log: Logger;
}): StopSignal {
  const { outer, handleSignals, log } = options;
  const controller = new AbortController();
  const onOuter = (): void => controller.abort(outer?.reason);
  const release = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  const onSignal = (name: NodeJS.Signals): void => {
    release();
    log.info('stopping', { event: logEvents.managerStopping, signal: name });
    controller.abort(new SignalStop(name));
  };
  if (outer?.aborted) onOuter();
  outer?.addEventListener('abort', onOuter, { once: true });
  if (handleSignals) {
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      outer?.removeEventListener('abort', onOuter);
      release();
    },
  };
}
