import { AssertionError } from 'node:assert';
import { runningLogs } from '../operator/running-logs.ts';
import type { ObservedVersions } from './observed-versions.ts';

/** Number of log lines shown per operator. */
const shownLines = 20;

/** Creates the error of a failed wait, with the mismatch, the versions that were read, and the operators' log lines. */
export function failedWait(
  headline: string,
  { error, versions }: { readonly error: unknown; readonly versions: ObservedVersions },
): AssertionError {
  const why = error instanceof Error ? error.message : String(error);
  const logs = [...runningLogs].map(({ lines }) => lines.slice(-shownLines).join('\n')).filter((text) => text !== '');
  const parts = [`${headline}: ${why}`, versions.describe(), ...logs.map((text) => `log of the operator:\n${text}`)];
  const message = parts.map((part) => part.trimEnd()).filter((part) => part !== '');
  return Object.assign(new AssertionError({ message: message.join('\n\n') }), { cause: error });
}
