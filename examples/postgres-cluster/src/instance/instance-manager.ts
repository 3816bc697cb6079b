import { join } from 'node:path';
import { type Clock, sleep } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { ArchiveError } from '../archive/archive-error.ts';
import { BackupRunner } from '../backup/backup-runner.ts';
import { ClusterAccess } from './cluster/cluster-access.ts';
import { clusterView } from './cluster/cluster-view.ts';
import { whilePrimaryStays } from './cluster/while-primary-stays.ts';
import { type Decision, decide } from './decision/decide.ts';
import type { Situation } from './decision/situation.ts';
import type { InstanceEnvironment } from './environment.ts';
import { reportOf } from './instance-report.ts';
import { allConfirm, knowsAll } from './lease/failsafe.ts';
import { PrimaryLease } from './lease/primary-lease.ts';
import { within } from './lease/within.ts';
import { LocalInstance } from './local-instance.ts';
import { InstanceScrape } from './metrics/instance-scrape.ts';
import type { BackupReport, BackupRequest, InstanceReport } from './protocol.ts';
import { type DiskSpace, diskSpace } from './server/disk-space.ts';
import type { ServerDeath } from './server/postgres-server.ts';
import type { ProgramContext } from './server/run-program.ts';
import { ServerDeaths } from './server/server-deaths.ts';
import { endServerProcesses } from './server/server-processes.ts';
import { CertificateKeeper } from './status/certificate-keeper.ts';
import type { InstanceCertificates } from './status/certificates.ts';
import { statusRoutes } from './status/status-routes.ts';
import { StatusServer } from './status/status-server.ts';

export interface InstanceManagerOptions {
  readonly environment: InstanceEnvironment;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly programs: ProgramContext;
  /** Command of this program, which PostgreSQL also runs to archive and restore WAL. */
  readonly command: readonly string[];
}

/** How often the state is checked if nothing happens. */
const idleMs = 1_000;
/** How soon it is checked again while something is in progress. */
const busyMs = 100;
const failureMs = 1_000;
/** Time for a clean stop, which waits until replicas have all WAL. Pods get 300 s. */
const stopMs = 240_000;
/** Time for a clean stop before another primary takes over. */
const switchoverMs = 60_000;

/**
 * Runs one PostgreSQL server in the role that the cluster gives it: follows the `PostgresCluster` and the Lease, decides, acts, and
 * reports. See `decision/decide.ts` for the rules.
 */
export class InstanceManager {
  readonly #options: InstanceManagerOptions;
  readonly #access: ClusterAccess;
  readonly #lease: PrimaryLease;
  readonly #local: LocalInstance;
  readonly #backups: BackupRunner;
  readonly #scrape: InstanceScrape;
  readonly #certificates: CertificateKeeper;
  #decision: Decision = { do: 'nothing' };
  #failure: string | undefined;
  #disk: DiskSpace = { freeBytes: 0, isDiskFull: false };
  #wake: (() => void) | undefined;
  #isWoken = false;
  /** The last death of the server as a primary, after which another instance may be chosen. */
  #death: { readonly untilMs: number; readonly targetPrimaryTime: string | undefined } | undefined;
  readonly #deaths = new ServerDeaths();
  #restarts: (() => void)[] = [];
  /** True from the stop of a requested restart until the server accepts connections again. */
  #isRestarting = false;

  constructor(options: InstanceManagerOptions) {
    const { environment, client, clock, log } = options;
    const { namespace, cluster, name } = environment;
    const lease = `${cluster}-primary`;
    const wake = (): void => this.wake();
    this.#options = options;
    this.#lease = new PrimaryLease({
      client,
      namespace,
      name: lease,
      instance: name,
      timing: () => this.#access.cluster?.spec.lease ?? {},
      clock,
      log,
      confirm: (limited, forMs) => this.#confirm(limited, forMs),
      onLost: ({ why, withinMs }) => void this.#local.stop({ mode: 'fast', withinMs: withinMs / 2, why }),
      onChange: wake,
    });
    const onLease = (found: Parameters<PrimaryLease['observe']>[0]): void => {
      this.#lease.observe(found);
      this.wake();
    };
    this.#access = new ClusterAccess({ client, namespace, cluster, lease, clock, log, onChange: wake, onLease });
    this.#local = new LocalInstance({
      ...options,
      access: this.#access,
      certificates: () => this.#certificates.known,
      mayWrite: () => this.#lease.isHeld,
      onDeath: (death) => void this.#serverDied(death),
      onStuck: () => {
        log.error('processes of the server do not end, although they were killed');
        this.#lease.abandon();
      },
    });
    const folder = join(this.#local.volume, 'certificates');
    this.#certificates = new CertificateKeeper({ environment, data: this.#local.data.directory, folder, clock, log });
    this.#scrape = new InstanceScrape({ socketDirectory: environment.socketDirectory, log });
    this.#backups = new BackupRunner({
      ...options,
      connection: `host=${environment.socketDirectory} user=postgres dbname=postgres`,
      folder: this.#local.volume,
      now: () => new Date(clock.now()),
      archive: async () => {
        const { backup } = this.#access.cluster?.spec ?? {};
        if (!backup) throw new ArchiveError('Invalid', 'the cluster has no archive');
        return { store: await this.#local.archive.open(backup), keep: backup.keep ?? 7 };
      },
    });
  }

  /** The state of the instance, as the operator sees it. */
  get report(): InstanceReport {
    const { environment } = this.#options;
    return reportOf({
      name: environment.name,
      cluster: this.#access.cluster,
      decision: this.#decision,
      failure: this.#failure,
      hasDied: this.#death !== undefined,
      local: this.#local.state,
      disk: this.#disk,
    });
  }

  /** Checks the state immediately. */
  wake(): void {
    this.#isWoken = true;
    this.#wake?.();
  }

  /** Stops and starts the server. Resolves when it accepts connections again; false if it does not run. */
  async restart(): Promise<boolean> {
    if (!this.#local.isRunning) return false;
    const restarted = new Promise<void>((resolve) => this.#restarts.push(resolve));
    this.wake();
    await restarted;
    return true;
  }

  /** Responds to a primary that cannot reach the API server: true is a promise not to replace it for `forMs`. */
  async follows(primary: string, forMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const { retryPeriodSeconds = 2 } = this.#access.cluster?.spec.lease ?? {};
    if (this.#local.upstream !== primary) return false;
    const limit = { clock, ms: retryPeriodSeconds * 250 };
    const isReachable = await within((signal) => this.#access.isReachable(signal), limit).catch(() => false);
    return !isReachable && this.#local.upstream === primary && this.#lease.promise(primary, forMs);
  }

  /** Starts a base backup of the running server. */
  startBackup(request: BackupRequest): boolean {
    if (!this.#access.cluster?.spec.backup || !this.#local.isRunning) return false;
    this.#backups.start(request);
    return true;
  }

  /** Returns the state of a base backup that this instance took. */
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
    const count = await endServerProcesses(environment.dataDirectory, clock);
    if (count > 0) log.warn('terminated processes left by an earlier instance manager', { count });
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
        await this.#sleep(ms, signal);
      }
      this.#decision = { do: 'stop', mode: 'fast', why: 'the instance is stopping' };
      await this.#backups[Symbol.asyncDispose]();
      await this.#scrape[Symbol.asyncDispose]();
      await this.#local.stop({ mode: 'fast', withinMs: stopMs, why: 'the instance is stopping' });
      if (this.#lease.isHeld) await this.#lease.release();
    } finally {
      over.abort();
      await this.#local[Symbol.asyncDispose]();
      await Promise.allSettled(running);
    }
  }

  /** Decides and acts once. Returns the time until the next decision if nothing happens. */
  async #step(signal: AbortSignal): Promise<number> {
    const { log } = this.#options;
    this.#isWoken = false;
    try {
      const situation = await this.#situation(signal);
      const decision = decide(situation);
      if (JSON.stringify(decision) !== JSON.stringify(this.#decision)) log.info('decided', { ...decision });
      this.#decision = decision;
      const isDone = await this.#execute(decision, signal);
      if (decision.do === 'nothing' || decision.do === 'wait') await this.#local.maintain(signal);
      this.#failure = undefined;
      return isDone ? 0 : this.#nextMs();
    } catch (error) {
      if (signal.aborted) return 0;
      const message = error instanceof Error ? error.message : String(error);
      if (message !== this.#failure) log.error('cannot carry out the decision', { ...this.#decision, error });
      this.#failure = message;
      await sleep(this.#options.clock, { ms: failureMs, signal }).catch(() => undefined);
      return 0;
    }
  }

  async #situation(signal: AbortSignal): Promise<Situation> {
    const { environment, clock } = this.#options;
    const { cluster: found } = this.#access;
    const cluster = found && clusterView(found, environment.name);
    this.#disk = await diskSpace(this.#local.volume);
    await this.#local.observe({ primary: cluster?.currentPrimary, signal });
    await this.#endHangingServer();
    if (this.#local.state.server.kind === 'running' && this.#local.state.status) this.#accepts();
    const now = this.#access.cluster?.status?.targetPrimaryTime;
    if (this.#death && (clock.monotonic() >= this.#death.untilMs || now !== this.#death.targetPrimaryTime)) {
      this.#death = undefined;
    }
    return {
      name: environment.name,
      cluster,
      lease: this.#lease.state,
      data: this.#local.state.data,
      server: this.#local.state.server,
      isYielding: this.#death !== undefined,
    };
  }

  /** Executes a decision. Returns true if the next decision need not wait. */
  async #execute(decision: Decision, signal: AbortSignal): Promise<boolean> {
    const local = this.#local;
    switch (decision.do) {
      case 'acquire':
        return this.#lease.acquire(signal);
      case 'release':
        await this.#lease.release();
        return true;
      case 'initialize':
        await local.data.initialize(signal);
        return true;
      case 'start':
        await this.#beforeStart(signal);
        return local.start(decision, signal);
      case 'stop':
        await local.stop({
          mode: decision.mode,
          withinMs: decision.mode === 'fast' ? switchoverMs : 0,
          why: decision.why,
        });
        return true;
      case 'promote':
        await local.promote(signal);
        return false;
      case 'clone':
        await this.#whilePrimaryStays(decision.from, signal, (limited) => local.data.clone(decision.from, limited));
        return true;
      case 'rewind':
        await this.#whilePrimaryStays(decision.from, signal, (limited) => local.data.rewind(decision.from, limited));
        return true;
      case 'follow':
        return local.follow(decision.upstream, signal);
      case 'wait':
      case 'nothing':
        return this.#restartIfAsked();
    }
  }

  async #restartIfAsked(): Promise<boolean> {
    if (this.#restarts.length === 0 || !this.#local.isRunning || this.#isRestarting) return false;
    await this.#local.stop({ mode: 'fast', withinMs: switchoverMs, why: 'a restart was requested' });
    this.#isRestarting = true;
    return true;
  }

  /** After deaths, waits before the next start. */
  async #beforeStart(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const ms = this.#deaths.notBeforeMs - clock.monotonic();
    if (ms > 0) await sleep(clock, { ms, signal });
    this.#deaths.started(clock.monotonic());
  }

  #accepts(): void {
    this.#deaths.accepts(this.#options.clock.monotonic());
    if (!this.#isRestarting && this.#restarts.length > 0) return;
    this.#isRestarting = false;
    for (const resolve of this.#restarts.splice(0)) resolve();
  }

  async #serverDied({ why, output }: ServerDeath): Promise<void> {
    const { clock, log, environment } = this.#options;
    const { spec, status } = this.#access.cluster ?? {};
    log.error('the server died', { why, output: output.slice(-3) });
    const failingMs = this.#deaths.died(clock.monotonic());
    const { renewDeadlineSeconds = 10 } = spec?.lease ?? {};
    const hasOthers = this.#access.othersOf(environment.name).length > 0;
    const delayMs = (spec?.replication?.failoverDelaySeconds ?? 0) * 1000;
    if (this.#lease.isHeld && hasOthers && failingMs >= delayMs) {
      const untilMs = clock.monotonic() + renewDeadlineSeconds * 1000;
      this.#death = { untilMs, targetPrimaryTime: status?.targetPrimaryTime };
      await this.#lease.release();
    }
    this.wake();
  }

  /** Kills a server that has not responded for as long as a Lease is valid without renewal. */
  async #endHangingServer(): Promise<void> {
    const { renewDeadlineSeconds = 10 } = this.#access.cluster?.spec.lease ?? {};
    const { silentMs } = this.#local;
    if (silentMs <= Math.max(renewDeadlineSeconds * 1000, 5_000)) return;
    this.#options.log.error('killing the server, because it does not respond', { silentMs });
    await this.#local.stop({ mode: 'immediate', withinMs: 0, why: 'the server does not respond' });
    await this.#serverDied({ why: 'did not respond', output: [] });
  }

  /** Ends a long action as soon as another instance becomes the primary. */
  #whilePrimaryStays(
    primary: string,
    signal: AbortSignal,
    act: (limited: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const targetPrimary = (): string | undefined => this.#access.cluster?.status?.targetPrimary;
    return whilePrimaryStays(primary, { targetPrimary, act, clock: this.#options.clock, signal });
  }

  async #confirm(signal: AbortSignal, forMs: number): Promise<boolean> {
    const { environment } = this.#options;
    const others = this.#access.othersOf(environment.name);
    const { status } = this.#local.state;
    // A server that does not respond may have replicas that this manager does not know.
    if (status === undefined) return false;
    const { replicas, slots } = status;
    const streaming = replicas.map(({ name }) => name);
    if (!knowsAll({ others, streaming, slots, instances: this.#access.cluster?.spec.instances ?? 1 })) return false;
    return allConfirm(environment.name, {
      others,
      forMs,
      addressOf: (other) => this.#access.addressOf(other),
      client: this.#certificates.known.client,
      signal,
    });
  }

  #nextMs(): number {
    const isBusy = this.#decision.do !== 'nothing' || this.#local.isChanging;
    return Math.min(isBusy ? busyMs : idleMs, (this.#lease.expiresInMs ?? idleMs) + 1);
  }

  /** Sleeps until something changes, but at most `ms`. */
  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (ms === 0 || this.#isWoken) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    await sleep(this.#options.clock, { ms, signal: either }).catch(() => undefined);
    this.#wake = undefined;
  }
}
