import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { ArchiveError } from '../archive/archive-error.ts';
import { BackupRunner, type BackupRunnerOptions } from '../backup/backup-runner.ts';
import { ClusterAccess } from './cluster/cluster-access.ts';
import { clusterView } from './cluster/cluster-view.ts';
import { carryOut } from './decision/carry-out.ts';
import { type Decision, decide } from './decision/decide.ts';
import type { Situation } from './decision/situation.ts';
import type { InstanceEnvironment } from './environment.ts';
import { reportOf } from './instance-report.ts';
import { isStillFollowed } from './lease/failsafe.ts';
import { PrimaryLease } from './lease/primary-lease.ts';
import { VolumeOwner } from './lease/volume-owner.ts';
import { Watchdog } from './lease/watchdog.ts';
import { within } from './lease/within.ts';
import { LocalInstance } from './local-instance.ts';
import { InstanceScrape } from './metrics/instance-scrape.ts';
import type { BackupReport, BackupRequest, InstanceReport } from './protocol.ts';
import { type DiskSpace, diskSpace } from './server/disk-space.ts';
import type { ServerDeath } from './server/postgres-server.ts';
import { RequestedRestarts } from './server/requested-restarts.ts';
import type { ProgramContext } from './server/run-program.ts';
import { endServerProcesses } from './server/server-processes.ts';
import { ServerFailures } from './server-failures.ts';
import { CertificateKeeper } from './status/certificate-keeper.ts';
import type { InstanceCertificates } from './status/certificates.ts';
import { statusRoutes } from './status/status-routes.ts';
import { StatusServer } from './status/status-server.ts';
import { Waker } from './waker.ts';

export interface InstanceManagerOptions {
  readonly environment: InstanceEnvironment;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly programs: ProgramContext;
  /** Command that runs this program. PostgreSQL also calls it to archive and restore WAL. */
  readonly command: readonly string[];
}

/** Interval between checks of the state while nothing happens. */
const idleMs = 1_000;
/** Interval between checks while a change is in progress. */
const busyMs = 100;
const failureMs = 1_000;
/** Time limit of a clean stop, which waits until the replicas have all WAL. The pod's termination grace period is 300 s. */
const stopMs = 240_000;
/** Time limit of a shutdown before a restart. The same server starts again, so replicas need not have received all WAL. */
const restartStopMs = 60_000;
/**
 * Runs one PostgreSQL server in the role that the cluster assigns to it: watches the `PostgresCluster` and the Lease, decides,
 * acts, and reports. The rules are in `decision/decide.ts`.
 */
export class InstanceManager {
  readonly #options: InstanceManagerOptions;
  readonly #access: ClusterAccess;
  readonly #lease: PrimaryLease;
  readonly #owner: VolumeOwner;
  readonly #local: LocalInstance;
  readonly #backups: BackupRunner;
  readonly #scrape: InstanceScrape;
  readonly #certificates: CertificateKeeper;
  #decision: Decision = { do: 'nothing' };
  #failure: string | undefined;
  #disk: DiskSpace = { freeBytes: 0, isDiskFull: false };
  readonly #waker: Waker;
  readonly #watchdog: Watchdog;
  readonly #failures: ServerFailures;
  readonly #restarts = new RequestedRestarts();

  constructor(options: InstanceManagerOptions) {
    const { environment, client, clock, log } = options;
    const { namespace, cluster, name } = environment;
    const lease = `${cluster}-primary`;
    const wake = (): void => this.wake();
    this.#options = options;
    this.#waker = new Waker(clock);
    const { dataDirectory } = environment;
    this.#watchdog = new Watchdog({ command: options.command, dataDirectory, env: options.programs.env, log });
    this.#lease = this.#createLease(lease);
    const onLease = (found: Parameters<PrimaryLease['observe']>[0]): void => {
      this.#lease.observe(found);
      this.wake();
    };
    this.#access = new ClusterAccess({ client, namespace, cluster, lease, clock, log, onChange: wake, onLease });
    this.#failures = new ServerFailures({ name, access: this.#access, clock, log });
    this.#local = new LocalInstance({
      ...options,
      access: this.#access,
      certificates: () => this.#certificates.known,
      mayWrite: () => this.#lease.isHeld,
      onDeath: (death) => void this.#serverDied(death),
      onStuck: () => {
        log.error('processes of the server are still running after they were killed');
        this.#lease.abandon();
      },
    });
    this.#owner = new VolumeOwner(this.#local.volume, environment.podUID);
    const folder = join(this.#local.volume, 'certificates');
    this.#certificates = new CertificateKeeper({ environment, data: this.#local.data.directory, folder, clock, log });
    this.#scrape = new InstanceScrape({ socketDirectory: environment.socketDirectory, log });
    this.#backups = new BackupRunner({
      ...options,
      connection: `host=${environment.socketDirectory} user=postgres dbname=postgres`,
      dataDirectory: environment.dataDirectory,
      folder: this.#local.volume,
      switchWal: () => this.#local.switchWal(),
      archive: () => this.#openArchive(),
    });
  }

  #createLease(name: string): PrimaryLease {
    const { environment, client, clock, log } = this.#options;
    return new PrimaryLease({
      client,
      namespace: environment.namespace,
      name,
      instance: environment.name,
      pod: environment.podUID,
      timing: () => this.#access.cluster?.spec.lease ?? {},
      clock,
      log,
      confirm: async (limited, forMs) =>
        (await this.#owner.isOwner()) &&
        isStillFollowed(environment.name, {
          access: this.#access,
          status: this.#local.state.status,
          client: this.#certificates.known.client,
          forMs,
          signal: limited,
        }),
      onLost: ({ why, withinMs }) => void this.#local.stop({ mode: 'fast', withinMs: withinMs / 2, why }),
      onHeld: (forMs) => this.#watchdog.allow(forMs),
      onChange: () => this.wake(),
    });
  }

  /** The report that the operator reads. */
  get report(): InstanceReport {
    const { environment } = this.#options;
    return reportOf({
      name: environment.name,
      cluster: this.#access.cluster,
      decision: this.#decision,
      failure: this.#failure,
      hasDied: this.#failures.isYielding,
      local: this.#local.state,
      disk: this.#disk,
    });
  }

  /** Triggers the next check immediately. */
  wake(): void {
    this.#waker.wake();
  }

  /** Restarts the server. Resolves to true when it accepts connections again, or to false if it is not running. */
  async restart(): Promise<boolean> {
    if (!this.#local.isRunning) return false;
    const restarted = this.#restarts.request();
    this.wake();
    await restarted;
    return true;
  }

  /**
   * Handles the request of a primary that cannot reach the API server. By returning true, this instance promises not to
   * replace the primary for `forMs`.
   */
  async follows(primary: string, forMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const { retryPeriodSeconds = 2 } = this.#access.cluster?.spec.lease ?? {};
    if (this.#local.upstream !== primary) return false;
    const limit = { clock, ms: retryPeriodSeconds * 250 };
    const isReachable = await within((signal) => this.#access.isReachable(signal), limit).catch(() => false);
    return !isReachable && this.#local.upstream === primary && this.#lease.promise(primary, forMs);
  }

  /** Starts a base backup. Returns false if the cluster has no archive or the server is not running. */
  startBackup(request: BackupRequest): boolean {
    if (!this.#access.cluster?.spec.backup || !this.#local.isRunning) return false;
    this.#backups.start(request);
    return true;
  }

  /** Returns the state of a base backup, or undefined if this instance did not take it. */
  backup(uid: string): BackupReport | undefined {
    return this.#backups.report(uid);
  }

  metrics(): Promise<string> {
    const nowMs = this.#options.clock.now();
    return this.#scrape.text({ report: this.report, cluster: this.#access.cluster, nowMs });
  }

  /** Runs until `signal` is aborted, then stops the server and releases the Lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { environment, clock, log } = this.#options;
    await this.#certificates.read();
    await this.#owner.claim();
    const count = await endServerProcesses(environment.dataDirectory, clock);
    if (count > 0) log.warn('terminated processes of an earlier instance manager', { count });
    if (await this.#local.data.directory.rollBackUpgrade(signal)) log.warn('rolled back a failed major upgrade');
    // The Lease must be renewed until the server has stopped.
    const over = new AbortController();
    await using server = await StatusServer.start({
      address: environment.address,
      certificates: this.#certificates.known,
      routes: statusRoutes(this),
      log,
    });
    const running = [this.#access.run(over.signal), this.#lease.run(over.signal)];
    const onRenewed = (certificates: InstanceCertificates): void => {
      server.renew(certificates);
      this.#local.reload();
    };
    running.push(this.#certificates.run({ signal, onRenewed }));
    try {
      while (!signal.aborted) {
        const ms = await this.#step(signal);
        await this.#waker.sleep(ms, signal);
      }
      this.#decision = { do: 'stop', mode: 'fast', why: 'the instance is stopping' };
      await this.#backups[Symbol.asyncDispose]();
      await this.#scrape[Symbol.asyncDispose]();
      await this.#local.stop({ mode: 'fast', withinMs: stopMs, why: 'the instance is stopping' });
      // The operator compares the end of this WAL with the replicas' WAL, so it must be known before another instance
      // can start.
      await this.#local.observe({ primary: undefined, signal: over.signal });
      this.#watchdog.disarm();
      if (this.#lease.isHeld) await this.#lease.release();
    } finally {
      over.abort();
      await this.#local[Symbol.asyncDispose]();
      await Promise.allSettled(running);
    }
  }

  /** Decides and acts once. Returns the time until the next check, unless something wakes the instance earlier. */
  async #step(signal: AbortSignal): Promise<number> {
    const { log } = this.#options;
    this.#waker.reset();
    try {
      const situation = await this.#situation(signal);
      const decision = decide(situation);
      if (JSON.stringify(decision) !== JSON.stringify(this.#decision)) log.info('decided', { ...decision });
      this.#decision = decision;
      if (decision.do === 'start') await this.#failures.beforeStart(signal);
      // From now on, only a standby can run here.
      if (decision.do === 'release' || (decision.do === 'start' && decision.role === 'standby'))
        this.#watchdog.disarm();
      const isDone = await carryOut(decision, {
        local: this.#local,
        lease: this.#lease,
        access: this.#access,
        clock: this.#options.clock,
        signal,
      });
      const isIdle = decision.do === 'nothing' || decision.do === 'wait';
      if (isIdle && (await this.#restartIfRequested(signal))) return 0;
      if (isIdle) await this.#local.maintain(signal);
      this.#failure = undefined;
      return isDone ? 0 : this.#nextMs();
    } catch (error) {
      if (signal.aborted) return 0;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#failure)
        log.error('an action of the instance manager failed', { ...this.#decision, error });
      this.#failure = message;
      await sleep(this.#options.clock, { ms: failureMs, signal }).catch(() => undefined);
      return 0;
    }
  }

  async #openArchive(): ReturnType<BackupRunnerOptions['archive']> {
    const { spec: { backup } = {}, status } = this.#access.cluster ?? {};
    if (!backup) throw new ArchiveError('Invalid', 'the cluster has no archive');
    const store = await this.#local.archive.open(backup, { patience: 'long' });
    return { store, cluster: status?.archiveOwner, keep: backup.keep ?? 7 };
  }

  async #situation(signal: AbortSignal): Promise<Situation> {
    const { environment } = this.#options;
    const { cluster: found } = this.#access;
    const cluster = found && clusterView(found, environment.name);
    this.#disk = await diskSpace(this.#local.volume, this.#local.data.directory);
    await this.#local.observe({ primary: cluster?.currentPrimary, signal });
    if (await this.#failures.endHanging(this.#local)) await this.#serverDied({ why: 'did not respond', output: [] });
    if (this.#local.state.server.kind === 'running' && this.#local.state.status) {
      this.#failures.accepts();
      this.#restarts.accepts();
    }
    return {
      name: environment.name,
      cluster,
      lease: this.#lease.state,
      data: this.#local.state.data,
      server: this.#local.state.server,
      isYielding: this.#failures.isYielding,
    };
  }

  async #restartIfRequested(signal: AbortSignal): Promise<boolean> {
    if (!this.#restarts.isDue || !this.#local.isRunning) return false;
    await this.#local.stop({ mode: 'fast', withinMs: restartStopMs, why: 'a restart was requested', signal });
    this.#restarts.stopped();
    return true;
  }

  async #serverDied(death: ServerDeath): Promise<void> {
    await this.#failures.died(death, this.#lease);
    this.wake();
  }

  #nextMs(): number {
    const isBusy = this.#decision.do !== 'nothing' || this.#local.isChanging;
    return Math.min(isBusy ? busyMs : idleMs, (this.#lease.expiresInMs ?? idleMs) + 1);
  }
}
