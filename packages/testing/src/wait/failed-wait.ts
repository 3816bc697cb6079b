import { AssertionError } from 'node:assert';
import type { ObservedVersions } from './observed-versions.ts';

/** Number of log lines shown. */
const shownLines = 20;

/** Creates the error of a failed wait, with the mismatch, the versions that were read, and the last lines of the log. */
export function failedWait(
  headline: string,
  parts: { readonly error: unknown; readonly versions: ObservedVersions; readonly log: readonly string[] },
): AssertionError {
  const { error, versions, log } = parts;
  const why = error instanceof Error ? error.message : String(error);
  const lines = log.slice(-shownLines).join('\n');
  const message = [`${headline}: ${why}`, versions.describe(), lines && `log of the operator:\n${lines}`]
    .map((part) => part.trimEnd())
    .filter((part) => part !== '');
  return Object.assign(new AssertionError({ message: message.join('\n\n') }), { cause: error });
}
