import { sleep } from '@kubewright/apimachinery';
import type { Flag, Flags, Session } from './command.ts';
import { textFlag } from './command.ts';
import { PluginError } from './plugin-error.ts';

const intervalMs = 500;

/** Flags of commands that can wait for their result. */
export const waitFlags: Readonly<Record<string, Flag>> = {
  wait: { type: 'boolean', text: 'wait until the operation has finished' },
  timeout: { type: 'string', value: 'SECONDS', text: 'how long to wait with --wait (default: 600)' },
};

/**
 * Returns the timeout of `--wait` in seconds, or undefined if the flag is not set. Call it before the operation begins.
 *
 * @throws PluginError if the flags are invalid
 */
export function waitSeconds(flags: Flags): number | undefined {
  const timeout = textFlag(flags, 'timeout');
  if (flags['wait'] !== true) {
    if (timeout === undefined) return undefined;
    throw new PluginError('--timeout has no effect without --wait', { exitCode: 2 });
  }
  const seconds = Number(timeout ?? '600');
  if (seconds > 0) return seconds;
  throw new PluginError(`--timeout must be a number of seconds greater than 0, got ${timeout}`, { exitCode: 2 });
}

/**
 * Repeats `check` until it returns a value, for at most `seconds`. Returns undefined if `seconds` is undefined.
 *
 * @throws PluginError on timeout
 */
export async function waitUntil<T>(
  what: string,
  options: {
    readonly seconds: number | undefined;
    readonly session: Session;
    readonly check: () => Promise<T | undefined>;
    /** Returns why the operation has not finished yet, for the error. */
    readonly obstacle?: () => Promise<string | undefined>;
  },
): Promise<T | undefined> {
  const { seconds, session, check, obstacle } = options;
  if (seconds === undefined) return undefined;
  const { clock, signal } = session;
  const endMs = clock.monotonic() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (clock.monotonic() >= endMs) {
      const why = await obstacle?.();
      throw new PluginError(`timed out after ${seconds} s waiting for ${what}${why ? `: ${why}` : ''}`);
    }
    await sleep(clock, { ms: intervalMs, signal });
  }
}
