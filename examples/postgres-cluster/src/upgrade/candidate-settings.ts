import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingsFile } from '../instance/settings/settings-file.ts';

/**
 * Returns the configuration of a trial server, which tests whether this version accepts a cluster's parameters. It has no clients
 * or replicas, and archives nothing.
 */
export function candidateSettings(
  parameters: Readonly<Record<string, string>>,
  { socketDirectory }: { readonly socketDirectory: string },
): string {
  const file = settingsFile({
    parameters,
    name: 'upgrade',
    address: '',
    socketDirectory,
    certificates: '',
    synchronous: { number: 0, names: [] },
    floors: {},
    volumeBytes: Infinity,
    archiveCommand: '/bin/false',
  });
  // If a setting occurs twice, PostgreSQL uses the last value.
  return `${file}ssl = 'off'\narchive_mode = 'off'\n`;
}

/** Reads the parameters that the server on this volume last accepted. */
export async function acceptedParameters(volume: string): Promise<Readonly<Record<string, string>>> {
  try {
    // Written by `SettingsKeeper`.
    return JSON.parse(await readFile(join(volume, 'accepted-parameters.json'), 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
