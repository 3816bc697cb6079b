/** A command that runs `runWalProgram`, and the file with the archive's location. */
export interface WalProgram {
  /** For example `['/usr/bin/node', '/app/instance.mjs']`. */
  readonly command: readonly string[];
  readonly locationFile: string;
}

/**
 * Exit codes of the program. `missing` differs from the codes 1 and 13 that Node uses when it crashes. `stopRecovery` makes
 * PostgreSQL abort recovery.
 */
export const walExitCodes = { done: 0, failed: 1, missing: 3, stopRecovery: 126 } as const;

/** Returns the value of the setting `archive_command`. */
export function archiveCommand({ command, locationFile }: WalProgram): string {
  return `${words([...command, 'wal-archive', locationFile])} %f %p`;
}

/**
 * Returns the value of the setting `restore_command`.
 *
 * @param purpose - `recovery`: the server stops if the archive cannot be read; otherwise it would treat the failure as the end of
 *   the WAL, and accept writes too early. `standby`: the server retries, and streams WAL in the meantime.
 */
export function restoreCommand({ command, locationFile }: WalProgram, purpose: 'recovery' | 'standby'): string {
  const restore = `${words([...command, 'wal-restore', purpose, locationFile])} %f %p`;
  if (purpose === 'standby') return restore;
  // PostgreSQL treats any nonzero exit code below 126 as the end of the WAL.
  const { missing, stopRecovery } = walExitCodes;
  return `${restore}; case $? in 0) exit 0;; ${missing}) exit 1;; *) exit ${stopRecovery};; esac`;
}

function words(list: readonly string[]): string {
  // PostgreSQL expands placeholders such as %f, so percent signs are doubled.
  return list.map((word) => `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`).join(' ');
}
