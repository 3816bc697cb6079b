/** A program that runs {@link runWalProgram}, and the file with the location of the archive. */
export interface WalProgram {
  /** For example `['/usr/bin/node', '/app/instance.mjs']`. */
  readonly command: readonly string[];
  readonly locationFile: string;
}

/** Exit codes of the program. A program that crashes has others: Node uses 1 and 13. */
export const walExitCodes = { done: 0, failed: 1, missing: 3, stopRecovery: 126 } as const;

/** Returns the value of the setting `archive_command`. */
export function archiveCommand({ command, locationFile }: WalProgram): string {
  return `${words([...command, 'wal-archive', locationFile])} %f %p`;
}

/**
 * Returns the value of the setting `restore_command`.
 *
 * @param purpose - `recovery`: an archive that cannot be read stops the server, because it would take the failure for the end of the
 *   WAL, and accept writes too early. `standby`: the server retries, and streams meanwhile.
 */
export function restoreCommand({ command, locationFile }: WalProgram, purpose: 'recovery' | 'standby'): string {
  const restore = `${words([...command, 'wal-restore', purpose, locationFile])} %f %p`;
  if (purpose === 'standby') return restore;
  // PostgreSQL takes any code below 126 for the end of the WAL.
  const { missing, stopRecovery } = walExitCodes;
  return `${restore}; case $? in 0) exit 0;; ${missing}) exit 1;; *) exit ${stopRecovery};; esac`;
}

function words(list: readonly string[]): string {
  // PostgreSQL replaces what follows a percent sign.
  return list.map((word) => `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`).join(' ');
}
