import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import { ArchiveError } from '../archive/archive-error.ts';
import { segmentAt } from '../archive/wal-file.ts';
import { parseLsn } from '../lsn.ts';
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
  /** Called after the data directory, including its configuration files, has been replaced. */
  readonly onReplaced: () => void;
}

/** Manages the data of this instance: creates it, clones or rewinds it from a primary, and compares it with a primary's. */
export class LocalData {
  readonly directory: DataDirectory;
  readonly #options: LocalDataOptions;
  #state: DataState = { kind: 'empty' };
  #isRead = false;
  #restoreError: string | undefined;
  /** The primary from which this data has diverged. */
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

  /** Reason why the restore of a new cluster was abandoned. */
  get restoreError(): string | undefined {
    return this.#restoreError;
  }

  /** Reads the data directory of a stopped server. */
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

  /** Records that the server starts: its last shutdown checkpoint is no longer the end of its WAL. */
  started(): void {
    if (this.#state.kind !== 'present') return;
    const { shutdownLSN: _, ...state } = this.#state;
    this.#state = state;
  }

  /** Records that the running server was promoted. */
  promoted(): void {
    if (this.#state.kind === 'present') this.#state = { ...this.#state, role: 'primary' };
  }

  /**
   * Creates the data of a new cluster, or restores it from an archive. If the archive ends before the recovery target, gives up until
   * this process restarts: each attempt would replay WAL again, and fail again.
   */
  async initialize(signal: AbortSignal): Promise<void> {
    if (this.#restoreError !== undefined) throw new Error(this.#restoreError);
    try {
      await this.#initialize(signal);
    } catch (cause) {
      if (!(cause instanceof ArchiveError) || cause.reason !== 'TargetNotReached') throw cause;
      const { name } = this.#options.environment;
      this.#restoreError = `the archive ends before the recovery target, so the restore has stopped; recreate the cluster with an earlier target, or, once more WAL is archived, delete the pod ${name} to resume the restore`;
      throw new Error(this.#restoreError, { cause });
    }
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    const { access, archive, programs, log } = this.#options;
    const { bootstrap, backup } = access.cluster?.spec ?? {};
    if (backup) await archive.checkEmpty(backup, signal);
    const { initdb: options = {}, restore } = bootstrap ?? {};
    log.info(restore ? 'restoring the data directory' : 'creating the data directory');
    if (restore) {
      await this.directory.replace((path) => archive.restore(restore, { path, signal }), { resumes: true });
    } else {
      await this.directory.replace((path) => initdb(path, { ...options, context: programs, signal }));
    }
    this.#options.onReplaced();
  }

  /** Replaces the data with a clone of a primary's data. */
  async clone(from: string, signal: AbortSignal): Promise<void> {
    const { programs, upstream, log } = this.#options;
    log.info('cloning the data of the primary', { from });
    await upstream.createSlot(from);
    const { connection, slot } = upstream.replication(from);
    await this.directory.replace((path) => cloneFrom(connection, { path, slot, context: programs, signal }));
    await this.directory.markCopied();
    await this.directory.setRole('standby');
    this.#divergedFrom = undefined;
    this.#options.onReplaced();
  }

  /** Rewinds the data to follow a primary. If that is impossible, marks the data as unusable, so that it is replaced. */
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
    // pg_rewind replaced the configuration files with the primary's.
    this.#options.onReplaced();
    if (rewound.kind === 'impossible') {
      log.warn('cannot rewind the data; cloning it instead', { from, why: rewound.why });
      return this.directory.markUnusable(rewound.why);
    }
    if (rewound.kind === 'unneeded') {
      const { timeline } = await this.directory.controlData(signal);
      // A former primary and its successor are never on the same timeline, unless both chose the same number for different
      // timelines.
      if (timeline === wal.timeline || this.#divergedFrom === from) {
        const why = `pg_rewind cannot find the point where the data diverged from ${from} on timeline ${timeline}`;
        log.warn('cannot rewind the data; cloning it instead', { from, why });
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

  /**
   * Returns true if a running standby can stream from a primary, by comparing their WAL. If not, marks the data as diverged or
   * unusable.
   */
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
    const next = segmentAt(own.lsn, { timeline: wal.timeline, segmentBytes: wal.segmentBytes });
    // Skips the timeline, which is in the first eight digits.
    if (wal.oldestFile === '' || next.slice(8) >= wal.oldestFile.slice(8)) return true;
    const why = `${upstream} no longer has the WAL from ${status.lsn} on`;
    log.warn('cannot stream from the primary', { why });
    await this.directory.markUnusable(why);
    this.#state = { kind: 'unusable', why };
    return false;
  }
}
