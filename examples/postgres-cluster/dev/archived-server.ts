import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@kubewright/apimachinery';
import { type ArchiveLocation, openArchive } from '../src/archive/archive-location.ts';
import type { ArchiveStore } from '../src/archive/archive-store.ts';
import { archiveCommand } from '../src/archive/wal-commands.ts';
import type { ArchivedBackup } from '../src/backup/archived-backup.ts';
import { takeBackup } from '../src/backup/take-backup.ts';
import type { ProgramContext } from '../src/instance/server/run-program.ts';
import { type BundledProgram, bundledProgram } from './bundled-program.ts';
import { PostgresFolder, postgresPrograms, TestServer } from './postgres-server.ts';

export const walProgram = `
  import { runWalProgram } from '#src/archive/wal-program.ts';
  process.exitCode = await runWalProgram({
    args: process.argv.slice(2), log: console.error, folder: process.cwd(), now: () => new Date(),
  });`;

/** Returns true if PostgreSQL is installed: version 18 in `POSTGRES_18_BIN`, or by default any version on the PATH. */
export function hasPostgres(version?: 18): boolean {
  return version === 18 ? Boolean(process.env['POSTGRES_18_BIN']) : isOnPath();
}

function isOnPath(): boolean {
  using folder = new PostgresFolder();
  return postgresPrograms(folder) !== undefined;
}

/** A test server that archives its WAL with the real archive command. */
export class ArchivedServer implements AsyncDisposable {
  readonly folder: PostgresFolder;
  readonly programs: ProgramContext;
  readonly location: ArchiveLocation;
  readonly store: ArchiveStore;
  readonly server: TestServer;
  /** Command that archives and restores WAL, and the file that tells the command where the archive is. */
  readonly wal: { readonly command: readonly string[]; readonly locationFile: string };
  readonly #program: BundledProgram;

  private constructor(
    parts: Omit<ArchivedServer, 'backup' | 'archiveAll' | typeof Symbol.asyncDispose> & { program: BundledProgram },
  ) {
    this.folder = parts.folder;
    this.programs = parts.programs;
    this.location = parts.location;
    this.store = parts.store;
    this.server = parts.server;
    this.wal = parts.wal;
    this.#program = parts.program;
  }

  static async start(
    options: {
      readonly version?: 18;
      readonly settings?: Readonly<Record<string, string>>;
      /** Returns the location of the archive. @defaultValue a directory */
      readonly locationIn?: (folder: PostgresFolder) => ArchiveLocation;
    } = {},
  ): Promise<ArchivedServer> {
    const folder = new PostgresFolder();
    const programs = postgresPrograms(folder, options.version);
    if (!programs) throw new Error('PostgreSQL is not installed');
    const program = await bundledProgram(walProgram);
    const location = options.locationIn?.(folder) ?? { folder: 'shop', directory: folder.share('archive') };
    const locationFile = join(folder.make('control'), 'archive.json');
    writeFileSync(locationFile, JSON.stringify(location));
    const wal = { command: [process.execPath, program.path], locationFile };
    const server = new TestServer(folder.make('primary'), programs, folder.make('sockets')).initialize({
      archive_mode: 'on',
      archive_command: archiveCommand(wal),
      fsync: 'off',
      ...options.settings,
    });
    await server.start();
    const store = await openArchive(location);
    return new ArchivedServer({ folder, programs, program, location, store, wal, server });
  }

  /** Takes a base backup of this server, or of the server given as `from`. */
  backup(
    name: string,
    options: {
      readonly type?: 'full' | 'incremental';
      readonly from?: TestServer;
      readonly store?: ArchiveStore;
    } = {},
  ): Promise<ArchivedBackup> {
    const { programs, folder, server } = this;
    const { type = 'full', from = server, store = this.store } = options;
    const { signal } = new AbortController();
    const context = {
      store,
      cluster: undefined,
      connection: from.connection,
      dataDirectory: from.dataDirectory,
      programs,
      folder: folder.path,
      switchWal: async () => void (await server.query('SELECT pg_switch_wal()')),
      clock: systemClock,
      signal,
    };
    return takeBackup({ name, uid: `uid of ${name}`, type }, context);
  }

  /** Switches to a new segment, and waits until all earlier WAL is archived. @throws Error if a file could not be archived */
  async archiveAll(): Promise<void> {
    const last = await this.server.query('SELECT pg_walfile_name(pg_switch_wal())');
    const archiver = `SELECT failed_count, coalesce(last_archived_wal >= '${last}', false) FROM pg_stat_archiver`;
    for (;;) {
      const [failures, isArchived] = (await this.server.query(archiver)).split('|');
      if (failures !== '0') throw new Error(`${last} could not be archived:\n${this.server.output}`);
      if (isArchived === 't') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server[Symbol.asyncDispose]();
    this.#program[Symbol.dispose]();
    this.folder[Symbol.dispose]();
  }
}
