import { join } from 'node:path';
import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { ClusterAccess } from './cluster/cluster-access.ts';
import type { Role, ServerState } from './decision/situation.ts';
import type { InstanceEnvironment } from './environment.ts';
import { InstanceArchive } from './instance-archive.ts';
import { LocalData } from './local-data.ts';
import type { LocalState } from './local-state.ts';
import { PrimaryUpkeep } from './primary-upkeep.ts';
import { QuorumKeeper } from './quorum/quorum-keeper.ts';
import { DataDirectory } from './server/data-directory.ts';
import { PostgresServer, type ServerDeath, type StopMode } from './server/postgres-server.ts';
import type { ProgramContext } from './server/run-program.ts';
import { UpstreamConnections } from './server/upstream-connections.ts';
import { HbaKeeper } from './settings/hba-keeper.ts';
import { LocalSettings } from './settings/local-settings.ts';
import { SettingsKeeper } from './settings/settings-keeper.ts';
import { type LocalStatus, localStatus } from './sql/local-status.ts';
import { endConfirmations } from './sql/primary-duties.ts';
import { type Sql, SqlSession } from './sql/sql-session.ts';
import { StandbyUpkeep } from './standby-upkeep.ts';
import type { InstanceCertificates } from './status/certificates.ts';
import { UpgradeUpkeep } from './upgrade-upkeep.ts';

export interface LocalInstanceOptions {
  readonly environment: InstanceEnvironment;
  readonly clock: Clock;
  readonly log: Logger;
  readonly programs: ProgramContext;
  readonly access: ClusterAccess;
  readonly certificates: () => InstanceCertificates;
  /** True while this instance holds the Lease, so that its server may accept writes. */
  readonly mayWrite: () => boolean;
  readonly onDeath: (death: ServerDeath) => void;
  /** Called if processes of the server are still running after they were killed. */
  readonly onStuck: () => void;
  /** Command that runs this program; see `InstanceArchive`. */
  readonly command: readonly string[];
}

/** This instance's server, its data, and the connections to the server and to the primary. Carries out decisions. */
export class LocalInstance implements AsyncDisposable {
  readonly data: LocalData;
  readonly archive: InstanceArchive;
  readonly #options: LocalInstanceOptions;
  readonly #server: PostgresServer;
  readonly #sql: Sql;
  readonly #keeper: SettingsKeeper;
  readonly #settings: LocalSettings;
  readonly #connections: UpstreamConnections;
  readonly #quorum: QuorumKeeper;
  readonly #primary: PrimaryUpkeep;
  readonly #standby: StandbyUpkeep;
  readonly #upgraded: UpgradeUpkeep;
  #role: Role = 'standby';
  #upstream: string | undefined;
  #status: LocalStatus | undefined;
  #isPromoting = false;
  #version: string | undefined;
  #archiveFailure: string | undefined;
  #respondedAtMs = 0;
  #completedAtMs = 0;

  constructor(options: LocalInstanceOptions) {
    const { environment, programs, clock, log, onDeath, onStuck } = options;
    this.#options = options;
    const directory = new DataDirectory(environment.dataDirectory, programs);
    const connections = new UpstreamConnections({
      ...options,
      certificateFolder: join(directory.volume, 'certificates'),
    });
    const archive = new InstanceArchive({ ...options, data: directory });
    const quorum = new QuorumKeeper({ ...options, name: environment.name });
    const keeper = new SettingsKeeper(directory, programs);
    const hba = new HbaKeeper(directory);
    const settings = new LocalSettings({ ...options, archive, connections, quorum, keeper, hba });
    const local = { host: environment.socketDirectory, user: 'postgres', database: 'postgres' };
    // A query that times out closes its connection, so the next one shows whether the server still accepts connections.
    this.#sql = new SqlSession(local, () => this.#responded());
    this.#primary = new PrimaryUpkeep({ ...options, sql: this.#sql });
    this.data = new LocalData({
      ...options,
      directory,
      archive,
      upstream: connections,
      applySettings: (upstream, signal) => settings.apply(upstream, signal),
      onReplaced: () => keeper.forget(),
    });
    this.#upgraded = new UpgradeUpkeep({ ...options, data: directory });
    this.#standby = new StandbyUpkeep({ clock, data: this.data, connections, sql: this.#sql });
    this.archive = archive;
    this.#connections = connections;
    this.#quorum = quorum;
    this.#keeper = keeper;
    this.#settings = settings;
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
    return this.data.directory.volume;
  }

  get isRunning(): boolean {
    return this.#server.isRunning;
  }

  /** True if a change is expected soon, so that the state is checked more often. */
  get isChanging(): boolean {
    if (this.#quorum.isHolding) return true;
    return this.#server.isRunning && (this.#status === undefined || this.#isWaitingForWal);
  }

  /** The instance that a running standby streams from. */
  get upstream(): string | undefined {
    return this.#server.isRunning && this.#role === 'standby' ? this.#upstream : undefined;
  }

  /** Milliseconds since the running server last responded. */
  get unresponsiveMs(): number {
    return this.#server.isRunning ? this.#options.clock.monotonic() - this.#respondedAtMs : 0;
  }

  /** Milliseconds since the running server last completed a query, or rejected one with an error code. */
  get stalledMs(): number {
    return this.#server.isRunning ? this.#options.clock.monotonic() - this.#completedAtMs : 0;
  }

  get state(): LocalState {
    const server: ServerState = this.#server.isRunning
      ? { kind: 'running', role: this.#role, isAccepting: this.#status !== undefined, upstream: this.#upstream }
      : { kind: 'stopped' };
    return {
      data: this.data.state,
      isRead: this.data.isRead,
      server,
      status: this.#status,
      settings: this.#keeper.hash,
      settingsError: this.#settings.error,
      parameters: this.#options.access.cluster?.spec.parameters ?? {},
      version: this.#version,
      archiveFailure: this.#archiveFailure,
      restoreError: this.data.restoreError,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#sql[Symbol.asyncDispose]();
    await this.#connections[Symbol.asyncDispose]();
    await this.#upgraded[Symbol.asyncDispose]();
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
      await this.data.read({ primary, signal });
      return;
    }
    try {
      this.#status = await localStatus(this.#sql);
      this.#completed();
      this.#archiveFailure = await this.archive.failure();
      await this.data.directory.clearCopied();
      this.#version ??= String((await this.#sql.query('SHOW server_version'))[0]?.['server_version']);
    } catch (error) {
      this.#status = undefined;
      // A server that is starting, stopping or overloaded still responds with an error code.
      if ((error as { readonly code?: unknown }).code !== undefined) this.#recordResponse(error);
      return;
    }
    if (this.#role === 'standby' && !this.#status.isInRecovery) this.#promoted();
  }

  /** Starts the server. Returns false if it is no longer allowed to start as a primary. */
  async start(
    { role, upstream }: { readonly role: Role; readonly upstream?: string | undefined },
    signal: AbortSignal,
  ): Promise<boolean> {
    const { environment, log, mayWrite } = this.#options;
    if (role === 'standby') this.#quorum.reset();
    else if (!(await this.#quorum.prepare(signal))) return false;
    await this.data.directory.protect();
    await this.data.directory.setRole(role);
    const { floors } = await this.data.directory.controlData(signal);
    this.#settings.floors = role === 'standby' ? floors : {};
    this.#role = role;
    // A standby streams immediately only with cloned or rewound data. Other data is compared first, once the server
    // accepts connections, because streaming would overwrite diverged WAL.
    const streams = upstream !== undefined && (await this.data.directory.isCopied());
    // If the primary's address is unknown, the standby follows it later.
    this.#upstream = streams && this.#options.access.addressOf(upstream) ? upstream : undefined;
    this.#isPromoting = false;
    if (this.#upstream !== undefined) await this.#reserveSlot(this.#upstream);
    await this.#settings.apply(this.#upstream, signal);
    await this.data.directory.createFolder(environment.socketDirectory);
    await this.data.directory.upgrade.supersede();
    log.info('starting the server', { role, upstream: this.#upstream });
    this.#completed();
    this.data.started();
    this.#primary.started();
    this.#standby.started();
    return this.#server.start({ isAllowed: () => role === 'standby' || mayWrite() });
  }

  async stop({
    mode,
    withinMs,
    why,
    signal,
  }: {
    readonly mode: StopMode;
    readonly withinMs: number;
    readonly why: string;
    readonly signal?: AbortSignal;
  }): Promise<void> {
    if (!this.#server.isRunning) return;
    this.#options.log.info('stopping the server', { mode, why });
    if (withinMs <= 0) this.#server.kill();
    await this.#server.stop({ mode, withinMs, ...(signal && { signal }) });
    this.#status = undefined;
  }

  async promote(signal: AbortSignal): Promise<void> {
    if (this.#isPromoting || !this.#options.mayWrite()) return;
    if (!(await this.#quorum.prepare(signal))) return;
    // Changed settings must take effect first: the next call promotes the server.
    if (await this.#settings.apply(this.#upstream, signal)) return this.#server.reload();
    this.#options.log.info('promoting the server');
    await this.#sql.query('SELECT pg_promote(false)');
    this.#isPromoting = true;
  }

  /**
   * Switches the standby to stream from another instance. Returns false if that is not possible yet. Marks the standby's
   * data as diverged if it has diverged from the other instance's data.
   */
  async follow(upstream: string | undefined, signal: AbortSignal): Promise<boolean> {
    if (upstream !== undefined) {
      const status = this.#status;
      if (!status || !(await this.data.canStreamFrom(upstream, { status, sql: this.#sql }))) return false;
      await this.#connections.createSlot(upstream);
    }
    this.#options.log.info(upstream === undefined ? 'disconnecting from the former primary' : 'following the primary', {
      upstream,
    });
    this.#upstream = upstream;
    if (await this.#settings.apply(upstream, signal)) this.#server.reload();
    return true;
  }

  /** Performs periodic maintenance of a running server. */
  async maintain(signal: AbortSignal): Promise<void> {
    const status = this.#status;
    if (!this.#server.isRunning || !status) return;
    const isPrimary = this.#role === 'primary' && this.#options.mayWrite();
    if (isPrimary) {
      await this.#quorum.advance(status, signal);
      if (this.#quorum.isStuck) await endConfirmations(this.#sql);
    }
    await this.#settings.check(this.#sql);
    if (await this.#settings.apply(this.#upstream, signal)) this.#server.reload();
    if (this.#role === 'standby') return this.#standby.run(status, { upstream: this.#upstream });
    const { state } = this.data;
    if (isPrimary) await this.#upgraded.run(signal);
    if (isPrimary && state.kind === 'present') await this.#primary.run(status, { systemID: state.systemID, signal });
  }

  /** Switches the primary to a new WAL file, so that it archives the current file. */
  async switchWal(): Promise<void> {
    const { upstream } = this;
    const sql = upstream === undefined ? this.#sql : await this.#connections.session(upstream);
    await sql.query('SELECT pg_switch_wal()');
  }

  /** Reloads the server's configuration and certificates. */
  reload(): void {
    this.#server.reload();
  }

  #promoted(): void {
    this.#options.log.info('the server was promoted', { timeline: this.#status?.timeline });
    this.#role = 'primary';
    this.#upstream = undefined;
    this.#isPromoting = false;
    this.#settings.floors = {};
    this.data.promoted();
    this.#primary.promoted();
  }

  /** True while a standby has an upstream, but is not streaming from it. */
  get #isWaitingForWal(): boolean {
    return this.#role === 'standby' && this.#upstream !== undefined && this.#status?.isReceiving === false;
  }

  /** Creates the slot that makes the primary retain WAL, if the primary can be reached. */
  async #reserveSlot(upstream: string): Promise<void> {
    try {
      await this.#connections.createSlot(upstream);
    } catch (error) {
      this.#options.log.warn('cannot create a slot on the primary yet', { upstream, error });
    }
  }

  #responded(): void {
    this.#respondedAtMs = this.#options.clock.monotonic();
  }

  #completed(): void {
    this.#responded();
    this.#completedAtMs = this.#respondedAtMs;
  }

  #recordResponse(error: unknown): void {
    const { code } = error as { readonly code?: unknown };
    // A code of five characters is an SQLSTATE, so the server has responded.
    if (typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code)) this.#completed();
  }
}
