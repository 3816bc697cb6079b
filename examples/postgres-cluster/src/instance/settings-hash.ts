import { createHash } from 'node:crypto';

/** Returns a hash of settings, with which the operator detects whether an instance has applied them. The order does not matter. */
export function settingsHash(parameters: Readonly<Record<string, string>> = {}): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}
