import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { settingsFile } from '../instance/settings/settings-file.ts';

/**
 * Returns the configuration of a server that checks whether this version accepts the parameters of a cluster. It has no clients and no
 * replicas, and archives nothing.
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
    archiveCommand: '/bin/false',
  });
  // The last value of a setting counts.
  return `${file}ssl = 'off'\narchive_mode = 'off'\n`;
}

/** Reads the parameters with which the servers of a volume were last configured. */
export async function acceptedParameters(volume: string): Promise<Readonly<Record<string, string>>> {
  try {
    // Written by `SettingsKeeper`.
    return JSON.parse(await readFile(join(volume, 'accepted-parameters.json'), 'utf8')) as Record<string, string>;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
