import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { DataState, Role, ServerState } from './decision/situation.ts';
import type { InstanceEnvironment } from './environment.ts';
import { InstanceArchive } from './instance-archive.ts';
import { QuorumKeeper } from './quorum/quorum-keeper.ts';
import { replicationConnection } from './server/connection.ts';
import { cloneFrom, initdb, rewindFrom } from './server/copy-data.ts';
import { DataDirectory } from './server/data-directory.ts';
import { PostgresServer, type ServerDeath, type StopMode } from './server/postgres-server.ts';
import type { ProgramContext } from './server/run-program.ts';
import { endServerProcesses } from './server/server-processes.ts';
import { canFollow } from './server/timeline-history.ts';
import { parseLsn, walFileOf } from './server/wal-position.ts';
import { type SettingsInput, slotOf } from './settings/settings-file.ts';
import { SettingsKeeper } from './settings/settings-keeper.ts';
import { type LocalStatus, localStatus } from './sql/local-status.ts';
import { createApplicationDatabase, createReplicationRole, dropSlots, endConfirmations } from './sql/primary-duties.ts';
import { PrimarySessions } from './sql/primary-sessions.ts';
import { type Sql, SqlSession } from './sql/sql-session.ts';
import { createSlot, historyOf, upstreamWal } from './sql/upstream.ts';
import type { InstanceCertificates } from './status/certificates.ts';

export interface LocalInstanceOptions {
  readonly environment: InstanceEnvironment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly programs: ProgramContext;
  readonly access: ClusterAccess;
  readonly certificates: () => InstanceCertificates;
  /** True while this instance may have a writable server. */
  readonly mayWrite: () => boolean;
  readonly onDeath: (death: ServerDeath) => void;
  /** Called if processes of the server do not end, although they were killed. */
  readonly onStuck: () => void;
  /** Command of this program, see `InstanceArchive`. */
  readonly command: readonly string[];
}

/** State of the local server and its data. */
export interface LocalState {
  readonly data: DataState;
  /** False until the data has been read. */
  readonly isRead: boolean;
  readonly server: ServerState;
  /** Missing while the server does not accept connections. */
  readonly status?: LocalStatus | undefined;
  /** Hash of the parameters that the server is configured with. */
  readonly settings?: string | undefined;
  readonly settingsError?: string | undefined;
  readonly parameters: Readonly<Record<string, string>>;
  readonly version?: string | undefined;
  /** The reason why the last WAL file could not be archived. */
  readonly archiveFailure?: string | undefined;
}

/** How often a standby that does not stream looks for the reason, and slots are cleaned up. */
const checkMs = 2_000;
const slotsMs = 30_000;
/** Longer than the time between two lists of the instances, and shorter than a new instance needs for its first start. */
const recentMs = 20_000;

/** The server of this instance, its data, and the connections to it and to the primary. Carries out decisions. */
export class LocalInstance implements AsyncDisposable {
  readonly data: DataDirectory;
  readonly archive: InstanceArchive;
  readonly #options: LocalInstanceOptions;
  readonly #server: PostgresServer;
  readonly #sql: Sql;
  readonly #settings: SettingsKeeper;
  readonly #primary = new PrimarySessions();
  readonly #quorum: QuorumKeeper;
  #dataState: DataState = { kind: 'empty' };
  #isRead = false;
  #role: Role = 'standby';
  #upstream: string | undefined;
  #status: LocalStatus | undefined;
  /** The primary whose WAL this data has diverged from. */
  #divergedFrom: string | undefined;
  #floors: Readonly<Record<string, number>> = {};
  #isPromoting = false;
  #isChanging = false;
  #version: string | undefined;
  #archiveFailure: string | undefined;
  #respondedAtMs = 0;
  #checkedAtMs = 0;
  #slotsAtMs = 0;

  constructor(options: LocalInstanceOptions) {
    const { environment, programs, clock, log, onDeath, onStuck } = options;
    this.#options = options;
    this.data = new DataDirectory(environment.dataDirectory, programs);
    this.archive = new InstanceArchive({ ...options, data: this.data });
    this.#settings = new SettingsKeeper(this.data, programs);
    this.#quorum = new QuorumKeeper({ ...options, name: environment.name });
    this.#sql = new SqlSession({ host: environment.socketDirectory, user: 'postgres', database: 'postgres' });
    const { dataDirectory } = environment;
    this.#server = new PostgresServer({
      dataDirectory,
      context: programs,
      clock,
      log,
      onDeath,
      onStuck,
      stuckMs: () => (options.access.cluster?.spec.lease?.durationSeconds ?? 15) * 1000,
    });
  }

  get volume(): string {
    return this.data.volume;
  }

  get isRunning(): boolean {
    return this.#server.isRunning;
  }

  /** True if something is expected to change soon. */
  get isChanging(): boolean {
    if (this.#isChanging || this.#quorum.isHolding) return true;
    return this.#server.isRunning && (this.#status === undefined || this.#isWaitingForWal);
  }

  /** The instance that a running standby streams from. */
  get upstream(): string | undefined {
    return this.#server.isRunning && this.#role === 'standby' ? this.#upstream : undefined;
  }

  /** For how long the running server has not responded, in milliseconds. */
  get silentMs(): number {
    return this.#server.isRunning ? this.#options.clock.monotonic() - this.#respondedAtMs : 0;
  }

  get state(): LocalState {
    const server: ServerState = this.#server.isRunning
      ? { kind: 'running', role: this.#role, isAccepting: this.#status !== undefined, upstream: this.#upstream }
      : { kind: 'stopped' };
    return {
      data: this.#dataState,
      isRead: this.#isRead,
      server,
      status: this.#status,
      settings: this.#settings.hash,
      settingsError: this.#settings.error,
      parameters: this.#options.access.cluster?.spec.parameters ?? {},
      version: this.#version,
      archiveFailure: this.#archiveFailure,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql[Symbol.asyncDispose]();
    await this.#primary[Symbol.asyncDispose]();
  }

  /** Reads the data directory of a stopped server, or queries a running one. */
  async observe({
    primary,
    signal,
  }: {
    readonly primary: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<void> {
    if (!this.#server.isRunning) {
      this.#status = undefined;
      const found = await this.data.read(signal);
      const isDiverged = this.#divergedFrom !== undefined && this.#divergedFrom === primary;
      this.#dataState = found.kind === 'present' ? { ...found, isDiverged } : found;
      this.#isRead = true;
      return;
    }
    try {
      this.#status = await localStatus(this.#sql);
      this.#respondedAtMs = this.#options.clock.monotonic();
      this.#archiveFailure = await this.archive.failure();
      await this.data.clearCopied();
      this.#version ??= String((await this.#sql.query('SHOW server_version'))[0]?.['server_version']);
    } catch (error) {
      this.#status = undefined;
      // A server that is starting, stopping or overloaded reports that.
      if ((error as { readonly code?: unknown }).code !== undefined) this.#heard(error);
      return;
    }
    if (this.#role === 'standby' && !this.#status.isInRecovery) await this.#promoted();
  }

  async initialize(signal: AbortSignal): Promise<void> {
    const { access, programs, log } = this.#options;
    const { bootstrap, backup } = access.cluster?.spec ?? {};
    if (backup) await this.archive.checkEmpty(backup, signal);
    const { initdb: options = {}, restore } = bootstrap ?? {};
    log.info(restore ? 'restoring the data directory' : 'creating the data directory');
    await this.data.replace((path) =>
      restore
        ? this.archive.restore(restore, { path, signal })
        : initdb(path, { ...options, context: programs, signal }),
    );
    this.#settings.forget();
  }

  async clone(from: string, signal: AbortSignal): Promise<void> {
    const { environment, programs, log } = this.#options;
    log.info('copying the data of the primary', { from });
    await createSlot(await this.#sessionWith(from), environment.name);
    const slot = slotOf(environment.name);
    const connection = this.#connectionTo(from);
    await this.data.replace((path) => cloneFrom(connection, { path, slot, context: programs, signal }));
    await this.data.markCopied();
    await this.data.setRole('standby');
    this.#divergedFrom = undefined;
    this.#settings.forget();
  }

  /** Rewinds the data. If that is impossible, records that the data must be replaced. */
  async rewind(from: string, signal: AbortSignal): Promise<void> {
    const { environment, programs, clock, log } = this.#options;
    const wal = await upstreamWal(await this.#sessionWith(from));
    if (!wal.hasCheckpoint) throw new Error(`waiting for the first checkpoint of ${from}`);
    await endServerProcesses(environment.dataDirectory, clock);
    await this.#applySettings({ upstream: from, signal });
    await this.data.markUnusable('a rewind was interrupted');
    const connection = this.#connectionTo(from);
    const { path } = this.data;
    const restores = this.#options.access.cluster?.spec.backup !== undefined;
    const rewound = await rewindFrom(connection, { path, restores, context: programs, signal });
    // The configuration was replaced by the primary's.
    this.#settings.forget();
    if (rewound.kind === 'impossible') {
      log.warn('cannot rewind the data; copying it again', { from, why: rewound.why });
      return this.data.markUnusable(rewound.why);
    }
    if (rewound.kind === 'unneeded') {
      const { timeline } = await this.data.controlData(signal);
      // A former primary never shares the timeline of the next one, unless both chose the same number.
      if (timeline === wal.timeline || this.#divergedFrom === from) {
        const why = `the data has diverged from ${from} on timeline ${timeline}, where pg_rewind finds no fork`;
        log.warn('cannot rewind the data; copying it again', { from, why });
        return this.data.markUnusable(why);
      }
    }
    if (rewound.kind === 'done') {
      log.info('rewound the data', { from });
      await this.data.markCopied();
    }
    if (rewound.kind !== 'unreachable') {
      await this.data.setRole('standby');
      this.#divergedFrom = undefined;
    }
    await this.data.clearUnusable();
    if (rewound.kind === 'unreachable') throw new Error(rewound.why);
  }

  /** Starts the server. Returns false if it may no longer write. */
  async start(
    { role, upstream }: { readonly role: Role; readonly upstream?: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { environment, clock, log, mayWrite } = this.#options;
    if (role === 'standby') this.#quorum.reset();
    else if (!(await this.#quorum.prepare(signal))) return false;
    await this.data.setRole(role);
    const { floors } = await this.data.controlData(signal);
    this.#floors = role === 'standby' ? floors : {};
    this.#role = role;
    // Other data is compared first, when the server accepts connections: streaming would overwrite WAL that differs.
    const streams = upstream !== undefined && (await this.data.isCopied());
    // If its address is unknown, the standby follows it later.
    this.#upstream = streams && this.#options.access.addressOf(upstream) ? upstream : undefined;
    this.#isPromoting = false;
    if (this.#upstream !== undefined) await this.#reserveSlot(this.#upstream);
    await this.#applySettings({ upstream: this.#upstream, signal });
    await this.data.createFolder(environment.socketDirectory);
    log.info('starting the server', { role, upstream: this.#upstream });
    this.#respondedAtMs = clock.monotonic();
    this.#checkedAtMs = clock.monotonic();
    this.#slotsAtMs = 0;
    return this.#server.start({ isAllowed: () => role === 'standby' || mayWrite() });
  }

  async stop({
    mode,
    withinMs,
    why,
  }: {
    readonly mode: StopMode;
    readonly withinMs: number;
    readonly why: string;
  }): Promise<void> {
    if (!this.#server.isRunning) return;
    this.#options.log.info('stopping the server', { mode, why });
    if (withinMs <= 0) this.#server.kill();
    await this.#server.stop({ mode, withinMs });
    this.#status = undefined;
  }

  async promote(signal: AbortSignal): Promise<void> {
    if (this.#isPromoting || !this.#options.mayWrite()) return;
    if (!(await this.#quorum.prepare(signal))) return;
    // The server reads changed settings before the next step.
    if (await this.#applySettings({ upstream: this.#upstream, signal })) return this.#server.reload();
    this.#options.log.info('promoting the server');
    await this.#sql.query('SELECT pg_promote(false)');
    this.#isPromoting = true;
  }

  /** Changes the instance that the standby streams from. Returns false if it cannot yet; notes if its data has diverged from it. */
  async follow(upstream: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (upstream !== undefined) {
      if (!(await this.#canStreamFrom(upstream))) return false;
      await createSlot(await this.#sessionWith(upstream), this.#options.environment.name);
    }
    this.#options.log.info(upstream === undefined ? 'disconnecting from the former primary' : 'following the primary', {
      upstream,
    });
    this.#upstream = upstream;
    if (await this.#applySettings({ upstream, signal })) this.#server.reload();
    return true;
  }

  /** Performs periodic maintenance of a running server. */
  async maintain(signal: AbortSignal): Promise<void> {
    const status = this.#status;
    if (!this.#server.isRunning || !status) return;
    if (this.#role === 'primary' && this.#options.mayWrite()) {
      await this.#quorum.advance(status, signal);
      if (this.#quorum.isStuck) await endConfirmations(this.#sql);
    }
    if (await this.#applySettings({ upstream: this.#upstream, signal })) this.#server.reload();
    await (this.#role === 'primary' ? this.#servePrimary(status, signal) : this.#serveStandby(status));
  }

  /** Causes the server to reread its files. */
  reload(): void {
    this.#server.reload();
  }

  async #servePrimary({ timeline }: LocalStatus, signal: AbortSignal): Promise<void> {
    const { access, environment, clock, mayWrite } = this.#options;
    const { status = {}, spec } = access.cluster ?? {};
    const { name } = environment;
    if (!mayWrite() || status.targetPrimary !== name || this.#dataState.kind !== 'present') return;
    const isReported = status.currentPrimary === name && status.timeline === timeline && status.systemID !== undefined;
    if (!isReported) {
      await createReplicationRole(this.#sql);
      if (status.systemID === undefined) {
        const { name: database = 'app', owner = database } = spec?.database ?? {};
        const password = (await readFile(join(environment.appCredentials, 'password'), 'utf8')).trim();
        await createApplicationDatabase(this.#sql, { name: database, owner, password });
      }
      const { systemID } = this.#dataState;
      await access.reportPrimary({ currentPrimary: name, timeline, systemID }, signal);
    }
    // Without the API server, an instance that is not known may exist. Its slot keeps the WAL that it needs, and names it.
    if (!access.wasReadWithin(recentMs) || status.instanceStatuses === undefined) return;
    if (clock.monotonic() - this.#slotsAtMs < slotsMs) return;
    this.#slotsAtMs = clock.monotonic();
    await dropSlots(this.#sql, { kept: access.othersOf(name) });
  }

  async #serveStandby({ isReceiving }: LocalStatus): Promise<void> {
    const { clock } = this.#options;
    const now = clock.monotonic();
    if (this.#slotsAtMs === 0 || now - this.#slotsAtMs >= slotsMs) {
      this.#slotsAtMs = now;
      await dropSlots(this.#sql, { kept: [] });
    }
    if (isReceiving || this.#upstream === undefined) this.#checkedAtMs = now;
    if (now - this.#checkedAtMs < checkMs || this.#upstream === undefined) return;
    this.#checkedAtMs = now;
    await createSlot(await this.#sessionWith(this.#upstream), this.#options.environment.name);
    await this.#canStreamFrom(this.#upstream);
  }

  /** Compares the WAL with a primary's. If this data cannot follow it, records the required action. */
  async #canStreamFrom(upstream: string): Promise<boolean> {
    const { log } = this.#options;
    const status = this.#status;
    if (!status?.isAtEnd || this.#dataState.kind !== 'present') return false;
    const { timeline } = status;
    const own = { timeline, lsn: parseLsn(status.lsn), history: await historyOf(this.#sql, timeline) };
    const wal = await upstreamWal(await this.#sessionWith(upstream));
    if (!canFollow(own, wal)) {
      log.warn('the data has diverged from the primary', { upstream, timeline: own.timeline, lsn: status.lsn });
      this.#divergedFrom = upstream;
      this.#dataState = { ...this.#dataState, isDiverged: true };
      return false;
    }
    const next = walFileOf(own.lsn, { timeline: wal.timeline, segmentBytes: wal.segmentBytes });
    // The first eight digits are the timeline.
    if (wal.oldestFile === '' || next.slice(8) >= wal.oldestFile.slice(8)) return true;
    const why = `${upstream} no longer has the WAL from ${status.lsn} on`;
    log.warn('the data cannot follow the primary', { why });
    await this.data.markUnusable(why);
    this.#dataState = { kind: 'unusable', why };
    return false;
  }

  async #promoted(): Promise<void> {
    const { log, clock } = this.#options;
    log.info('the server is a primary now', { timeline: this.#status?.timeline });
    this.#role = 'primary';
    this.#upstream = undefined;
    this.#isPromoting = false;
    this.#floors = {};
    this.#slotsAtMs = clock.monotonic();
    if (this.#dataState.kind === 'present') this.#dataState = { ...this.#dataState, role: 'primary' };
    // pg_rewind compares timelines by the last checkpoint. It can take long, so it gets its own connection.
    void this.#checkpoint().catch((error: unknown) => log.warn('cannot write a checkpoint', { error }));
  }

  async #checkpoint(): Promise<void> {
    const { socketDirectory } = this.#options.environment;
    await using sql = new SqlSession({
      host: socketDirectory,
      user: 'postgres',
      database: 'postgres',
      query_timeout: 0,
    });
    await sql.query('CHECKPOINT');
  }

  /** True while a standby has a primary, and does not stream from it. */
  get #isWaitingForWal(): boolean {
    return this.#role === 'standby' && this.#upstream !== undefined && this.#status?.isReceiving === false;
  }

  /** Creates the slot in which the primary keeps WAL, if the primary can be reached. */
  async #reserveSlot(upstream: string): Promise<void> {
    try {
      await createSlot(await this.#sessionWith(upstream), this.#options.environment.name);
    } catch (error) {
      this.#options.log.warn('cannot create a slot on the primary yet', { upstream, error });
    }
  }

  async #applySettings({
    upstream,
    signal,
  }: {
    readonly upstream: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<boolean> {
    const { backup, version = '15' } = this.#options.access.cluster?.spec ?? {};
    const archive = await this.archive.settings(backup, { major: Number(version) });
    return this.#settings.apply({ ...this.#settingsInput(upstream), ...archive }, signal);
  }

  #settingsInput(upstream: string | undefined): SettingsInput {
    const { environment, access } = this.#options;
    const { spec } = access.cluster ?? {};
    const { name, address, socketDirectory } = environment;
    return {
      parameters: spec?.parameters ?? {},
      name,
      address,
      socketDirectory,
      certificates: this.#certificateFolder,
      synchronous: this.#quorum.standbys,
      upstream: upstream === undefined ? undefined : { connection: this.#connectionTo(upstream), slot: slotOf(name) },
      floors: this.#floors,
    };
  }

  #sessionWith(instance: string): Promise<Sql> {
    return this.#primary.at(this.#addressOf(instance), this.#options.certificates().client);
  }

  #connectionTo(instance: string): string {
    const { name } = this.#options.environment;
    return replicationConnection({ address: this.#addressOf(instance), name, certificates: this.#certificateFolder });
  }

  #addressOf(instance: string): string {
    const address = this.#options.access.addressOf(instance);
    if (address === undefined) throw new Error(`waiting for the address of ${instance}`);
    return address;
  }

  get #certificateFolder(): string {
    return join(this.volume, 'certificates');
  }

  #heard(error: unknown): void {
    const { code } = error as { readonly code?: unknown };
    // Five characters are an SQLSTATE: the server has responded.
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) this.#respondedAtMs = this.#options.clock.monotonic();
  }
}
