import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { DataState } from './decision/situation.ts';
import type { InstanceEnvironment } from './environment.ts';
import type { InstanceArchive } from './instance-archive.ts';
import { cloneFrom, initdb, rewindFrom } from './server/copy-data.ts';
import type { DataDirectory } from './server/data-directory.ts';
import type { ProgramContext } from './server/run-program.ts';
import { endServerProcesses } from './server/server-processes.ts';
import { canFollow } from './server/timeline-history.ts';
import type { UpstreamConnections } from './server/upstream-connections.ts';
import { parseLsn, walFileOf } from './server/wal-position.ts';
import type { LocalStatus } from './sql/local-status.ts';
import type { Sql } from './sql/sql-session.ts';
import { historyOf, upstreamWal } from './sql/upstream.ts';

export interface LocalDataOptions {
  readonly directory: DataDirectory;
  readonly archive: InstanceArchive;
  readonly upstream: UpstreamConnections;
  readonly environment: InstanceEnvironment;
  readonly access: ClusterAccess;
  readonly programs: ProgramContext;
  readonly clock: Clock;
  readonly log: Logger;
  /** Writes the configuration for a server that follows `upstream`. */
  readonly applySettings: (upstream: string, signal: AbortSignal) => Promise<unknown>;
  /** Called when the data, and the configuration in it, were replaced. */
  readonly onReplaced: () => void;
}

/** The data of this instance: created, copied from a primary, rewound, and compared with a primary's. */
export class LocalData {
  readonly directory: DataDirectory;
  readonly #options: LocalDataOptions;
  #state: DataState = { kind: 'empty' };
  #isRead = false;
  /** The primary whose WAL this data has diverged from. */
  #divergedFrom: string | undefined;

  constructor(options: LocalDataOptions) {
    this.#options = options;
    this.directory = options.directory;
  }

  get state(): DataState {
    return this.#state;
  }

  /** False until the data has been read. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Reads the data of a stopped server. */
  async read({
    primary,
    signal,
  }: {
    readonly primary: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void> {
    const found = await this.directory.read(signal);
    const isDiverged = this.#divergedFrom !== undefined && this.#divergedFrom === primary;
    this.#state = found.kind === 'present' ? { ...found, isDiverged } : found;
    this.#isRead = true;
  }

  /** Notes that the running server was promoted. */
  promoted(): void {
    if (this.#state.kind === 'present') this.#state = { ...this.#state, role: 'primary' };
  }

  /** Creates the data of a new cluster, or restores it from an archive. */
  async initialize(signal: AbortSignal): Promise<void> {
    const { access, archive, programs, log } = this.#options;
    const { bootstrap, backup } = access.cluster?.spec ?? {};
    if (backup) await archive.checkEmpty(backup, signal);
    const { initdb: options = {}, restore } = bootstrap ?? {};
    log.info(restore ? 'restoring the data directory' : 'creating the data directory');
    await this.directory.replace((path) =>
      restore ? archive.restore(restore, { path, signal }) : initdb(path, { ...options, context: programs, signal }),
    );
    this.#options.onReplaced();
  }

  /** Replaces the data by a copy of a primary's. */
  async clone(from: string, signal: AbortSignal): Promise<void> {
    const { programs, upstream, log } = this.#options;
    log.info('copying the data of the primary', { from });
    await upstream.createSlot(from);
    const { connection, slot } = upstream.replication(from);
    await this.directory.replace((path) => cloneFrom(connection, { path, slot, context: programs, signal }));
    await this.directory.markCopied();
    await this.directory.setRole('standby');
    this.#divergedFrom = undefined;
    this.#options.onReplaced();
  }

  /** Rewinds the data. If that is impossible, records that the data must be replaced. */
  async rewind(from: string, signal: AbortSignal): Promise<void> {
    const { access, environment, programs, upstream, clock, log } = this.#options;
    const wal = await upstreamWal(await upstream.session(from));
    if (!wal.hasCheckpoint) throw new Error(`waiting for the first checkpoint of ${from}`);
    await endServerProcesses(environment.dataDirectory, clock);
    await this.#options.applySettings(from, signal);
    await this.directory.markUnusable('a rewind was interrupted');
    const { connection } = upstream.replication(from);
    const { path } = this.directory;
    const restores = access.cluster?.spec.backup !== undefined;
    const rewound = await rewindFrom(connection, { path, restores, context: programs, signal });
    // The configuration was replaced by the primary's.
    this.#options.onReplaced();
    if (rewound.kind === 'impossible') {
      log.warn('cannot rewind the data; copying it again', { from, why: rewound.why });
      return this.directory.markUnusable(rewound.why);
    }
    if (rewound.kind === 'unneeded') {
      const { timeline } = await this.directory.controlData(signal);
      // A former primary never shares the timeline of the next one, unless both chose the same number.
      if (timeline === wal.timeline || this.#divergedFrom === from) {
        const why = `the data has diverged from ${from} on timeline ${timeline}, where pg_rewind finds no fork`;
        log.warn('cannot rewind the data; copying it again', { from, why });
        return this.directory.markUnusable(why);
      }
    }
    if (rewound.kind === 'done') {
      log.info('rewound the data', { from });
      await this.directory.markCopied();
    }
    if (rewound.kind !== 'unreachable') {
      await this.directory.setRole('standby');
      this.#divergedFrom = undefined;
    }
    await this.directory.clearUnusable();
    if (rewound.kind === 'unreachable') throw new Error(rewound.why);
  }

  /** Compares the WAL of a running standby with a primary's. If this data cannot follow it, records the required action. */
  async canStreamFrom(
    upstream: string,
    { status, sql }: { readonly status: LocalStatus; readonly sql: Sql },
  ): Promise<boolean> {
    const { log } = this.#options;
    if (!status.isAtEnd || this.#state.kind !== 'present') return false;
    const { timeline } = status;
    const own = { timeline, lsn: parseLsn(status.lsn), history: await historyOf(sql, timeline) };
    const wal = await upstreamWal(await this.#options.upstream.session(upstream));
    if (!canFollow(own, wal)) {
      log.warn('the data has diverged from the primary', { upstream, timeline: own.timeline, lsn: status.lsn });
      this.#divergedFrom = upstream;
      this.#state = { ...this.#state, isDiverged: true };
      return false;
    }
    const next = walFileOf(own.lsn, { timeline: wal.timeline, segmentBytes: wal.segmentBytes });
    // The first eight digits are the timeline.
    if (wal.oldestFile === '' || next.slice(8) >= wal.oldestFile.slice(8)) return true;
    const why = `${upstream} no longer has the WAL from ${status.lsn} on`;
    log.warn('the data cannot follow the primary', { why });
    await this.directory.markUnusable(why);
    this.#state = { kind: 'unusable', why };
    return false;
  }
}
