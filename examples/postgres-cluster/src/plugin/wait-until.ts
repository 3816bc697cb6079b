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
 * With `--wait`, repeats `check` until it returns a value. Without it, returns undefined.
 *
 * @throws PluginError if `--timeout` expires
 */
export async function waitUntil<T>(
  what: string,
  {
    flags,
    session,
    check,
  }: { readonly flags: Flags; readonly session: Session; readonly check: () => Promise<T | undefined> },
): Promise<T | undefined> {
  if (flags['wait'] !== true) return undefined;
  const { clock, signal } = session;
  const timeout = textFlag(flags, 'timeout') ?? '600';
  const seconds = Number(timeout);
  if (!(seconds > 0))
    throw new PluginError(`--timeout must be a number of seconds greater than 0, got ${timeout}`, { exitCode: 2 });
  const endMs = clock.monotonic() + seconds * 1000;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (clock.monotonic() >= endMs) throw new PluginError(`timed out after ${seconds} s waiting for ${what}`);
    await sleep(clock, { ms: intervalMs, signal });
  }
}
