import { createHash } from 'node:crypto';

/** Returns a hash of parameters, independent of their order. It identifies the parameters that an instance has applied. */
export function settingsHash(parameters: Readonly<Record<string, string>> = {}): string {
  const sorted = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex').slice(0, 16);
}
