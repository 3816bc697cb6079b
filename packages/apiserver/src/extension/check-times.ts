import { KubewrightError } from '@kubewright/apimachinery';
import type { ExtensionServerOptions } from './extension-server-options.ts';

/** Thrown when an option of an extension API server is out of range. */
class ServerOptionsError extends KubewrightError {
  override readonly name = 'ServerOptionsError';
  readonly code = 'KW5303';
}

/**
 * Checks the options that are times. With an invalid time, such as one parsed from an unset variable, the server would stop
 * without a delay, or never.
 *
 * @throws ServerOptionsError (KW5303) for a time that is not a number from 0 on
 */
export function checkTimes(options: ExtensionServerOptions): void {
  for (const name of ['shutdownDelayMs', 'graceMs'] as const) {
    const ms = options[name];
    if (ms === undefined || (Number.isFinite(ms) && ms >= 0)) continue;
    throw new ServerOptionsError({
      what: `invalid ${name} ${String(ms)} of apiServer`,
      why: 'it is not a number of milliseconds',
      remedy: `set ${name} to a non-negative number, such as 10_000 for ten seconds`,
    });
  }
}
