import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import type { BackupTarget, RecoveryTarget, Restore } from '../api/v1/postgres-cluster.ts';
import { readFailure } from '../archive/archive-failure.ts';
import { type ArchiveLocation, archiveLocation, openArchive } from '../archive/archive-location.ts';
import { ensureEmpty } from '../archive/archive-owner.ts';
import type { ArchiveStore } from '../archive/archive-store.ts';
import { archiveCommand, restoreCommand } from '../archive/wal-commands.ts';
import { listBackups } from '../backup/archived-backup.ts';
import { backupChain } from '../backup/backup-chain.ts';
import { RecoveryServer } from '../backup/recovery-server.ts';
import { recoverySettings } from '../backup/recovery-settings.ts';
import { restoreBackup } from '../backup/restore-backup.ts';
import { clearRestored, hasRecovered, isRestored } from '../backup/unfinished-restore.ts';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { InstanceEnvironment } from './environment.ts';
import type { DataDirectory } from './server/data-directory.ts';
import type { ProgramContext } from './server/run-program.ts';
import type { SettingsInput } from './settings/settings-file.ts';

export interface InstanceArchiveOptions {
  readonly environment: InstanceEnvironment;
  readonly data: DataDirectory;
  readonly programs: ProgramContext;
  /** Command that runs this program. PostgreSQL also calls it to archive and restore WAL. */
  readonly command: readonly string[];
  readonly clock: Clock;
  readonly access: Pick<ClusterAccess, 'cluster'>;
}

/** The first version that supports incremental backups. */
const incrementalMajor = 17;

/** An instance's access to the archive: the WAL commands, and the restore of a new cluster. */
export class InstanceArchive {
  readonly #options: InstanceArchiveOptions;
  #written: string | undefined;

  constructor(options: InstanceArchiveOptions) {
    this.#options = options;
  }

  /** Writes the archive's location file, and returns the settings that make PostgreSQL archive and restore WAL. */
  async settings(
    target: BackupTarget | undefined,
    { major, newestTimeline }: { readonly major: number; readonly newestTimeline: number | undefined },
  ): Promise<Pick<SettingsInput, 'archiveCommand' | 'restoreCommand' | 'summarizesWal'>> {
    if (!target) return {};
    const { data, command, access } = this.#options;
    const owner = access.cluster?.status?.archiveOwner;
    const content = JSON.stringify({
      ...this.#locationOf(target),
      ...(newestTimeline !== undefined && { newestTimeline }),
      ...(owner !== undefined && { owner }),
    });
    if (content !== this.#written) {
      await data.createFolder(this.#folder);
      await data.write(this.#locationFile, content);
      this.#written = content;
    }
    const program = { command, locationFile: this.#locationFile };
    return {
      archiveCommand: archiveCommand(program),
      restoreCommand: restoreCommand(program, 'standby'),
      summarizesWal: major >= incrementalMajor,
    };
  }

  /** Opens the cluster's archive. */
  open(target: BackupTarget, options?: { readonly patience: 'long' }): Promise<ArchiveStore> {
    return openArchive(this.#locationOf(target), options);
  }

  /** Returns why the last WAL file could not be archived, or undefined if it was archived. */
  async failure(): Promise<string | undefined> {
    return (await readFailure(this.#locationFile))?.message;
  }

  /** Checks that the archive of a new cluster is empty. */
  async checkEmpty(target: BackupTarget, signal: AbortSignal): Promise<void> {
    await ensureEmpty(await this.open(target), { signal });
  }

  /**
   * Creates a data directory from a backup in another cluster's archive, and replays the archived WAL up to the target.
   * If an earlier attempt has restored the backup, resumes recovery in that attempt's data directory.
   */
  async restore(
    restore: Restore,
    { path, signal }: { readonly path: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const { from, backup, target = {} } = restore;
    const { programs, environment } = this.#options;
    const location = archiveLocation(from.target, { cluster: from.cluster, ...environment.recovery });
    if (!(await isRestored(path, restore))) {
      await rm(path, { recursive: true, force: true });
      const store = await openArchive(location, { patience: 'long' });
      const chain = backupChain(await listBackups(store, signal), { backup, target });
      await restoreBackup({ chain, dataDirectory: path, resumable: restore, store, programs, signal });
    }
    if (!(await hasRecovered(path))) await this.#recover(path, { location, target, signal });
    await clearRestored(path);
  }

  async #recover(
    path: string,
    {
      location,
      target,
      signal,
    }: { readonly location: ArchiveLocation; readonly target: RecoveryTarget; readonly signal: AbortSignal },
  ): Promise<void> {
    const { data, programs, command, clock } = this.#options;
    await data.createFolder(this.#folder);
    const locationFile = join(this.#folder, 'recovery.json');
    await data.write(locationFile, JSON.stringify(location));
    const settings = recoverySettings(target, {
      restoreCommand: restoreCommand({ command, locationFile }, 'recovery'),
    });
    await using server = await RecoveryServer.recover({
      dataDirectory: path,
      settings,
      isKept: true,
      programs,
      clock,
      signal,
    });
    await server.stop();
  }

  #locationOf(target: BackupTarget): ReturnType<typeof archiveLocation> {
    const { environment, access } = this.#options;
    const cluster = access.cluster?.status?.archiveName ?? environment.cluster;
    return archiveLocation(target, { cluster, ...environment.archive });
  }

  /** Folder of the location files. The WAL commands, which run as the server's user, also save failures here. */
  get #folder(): string {
    return join(this.#options.data.volume, 'archive');
  }

  get #locationFile(): string {
    return join(this.#folder, 'archive.json');
  }
}
