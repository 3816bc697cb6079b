import { type Clock, type Random, systemClock, systemRandom } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { ControllerDefinition } from '../controller/controller-definition.ts';
import type { ControllerParts } from '../controller/controller-loop.ts';
import { LeaderElector } from '../leader-election/leader-elector.ts';
import { whileLeading } from '../leader-election/while-leading.ts';
import { defaultLogger } from '../log/default-logger.ts';
import type { Logger } from '../log/logger.ts';
import { prometheusMetrics } from '../metrics/prometheus-metrics.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import { cacheFaults } from './cache-faults.ts';
import { ControllerGroup } from './controller-group.ts';
import { ManagerError } from './manager-error.ts';
import type { ManagerOptions } from './manager-options.ts';
import { loadClient, type ManagerParts, makeParts, type PartsOptions } from './manager-parts.ts';
import { ProbeServers } from './probe-servers.ts';
import type { Runnable } from './runnable.ts';
import { RunnableGroup } from './runnable-group.ts';
import { stopSignal } from './stop-signal.ts';

/**
 * Owns what controllers share (client, cache, servers, leadership) and starts and stops it in order: servers, caches,
 * runnables, and when leading the controllers; stopping goes the other way round.
 *
 * Used once: it runs, stops, and is let go. Unlike controller-runtime's (v0.24) it outlives a lost lease: the term's
 * controllers are stopped, it campaigns again, and the next term has controllers of its own.
 *
 * @example
 * ```ts
 * await new Manager({ controllers: [postgresql] }).run();
 * ```
 * @example In a test: start, wait until caches are synced and workers run, stop at the end of the block.
 * ```ts
 * await using manager = new Manager({ controllers: [postgresql], client, handleSignals: false });
 * void manager.run();
 * await manager.started();
 * ```
 */
export class Manager implements AsyncDisposable {
  readonly #options: ManagerOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #log: Logger;
  readonly #controllers: readonly ControllerDefinition[];
  readonly #from: PartsOptions;
  #parts: ManagerParts | undefined;
  readonly #everywhere: RunnableGroup;
  readonly #leading: RunnableGroup;
  readonly #stop = new AbortController();
  readonly #servers: ProbeServers;
  #watchdog: Watchdog | undefined;
  #metrics: RuntimeMetrics | undefined;
  #running: Promise<void> | undefined;
  /** Controllers that run whether or not this process leads. */
  #group: ControllerGroup | undefined;
  #announceStart: () => void = () => {};
  #failStart: (error: unknown) => void = () => {};
  readonly #started: Promise<void>;

  /** @throws ManagerError (KW3007) when two controllers have one name. */
  constructor(options: ManagerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#log = options.log ?? defaultLogger({ clock: this.#clock });
    this.#controllers = options.controllers ?? [];
    checkNames(this.#controllers);
    this.#from = { options, clock: this.#clock, random: this.#random, log: this.#log };
    if (options.client) this.#parts = makeParts(options.client, this.#from);
    const failed = (error: unknown): void => this.#fail(error);
    this.#everywhere = new RunnableGroup({ log: this.#log, failed });
    this.#leading = new RunnableGroup({ log: this.#log, failed });
    for (const runnable of options.runnables ?? []) this.add(runnable);
    this.#servers = new ProbeServers({ options, clock: this.#clock, cacheFaults: () => cacheFaults(this.#informers) });
    this.#started = new Promise((resolve, reject) => {
      this.#announceStart = resolve;
      this.#failStart = reject;
    });
    this.#started.catch(() => {
      // Told to those who called started(); run() throws it in any case.
    });
  }

  /**
   * The client that controllers share; not bound to a reconcile or to leadership.
   *
   * @throws ManagerError (KW3007) before `run()` when the manager makes its own client.
   */
  get client(): KubernetesClient {
    return this.#shared.client;
  }

  /**
   * The cache that controllers share: reads of declared kinds, never behind this process's own writes.
   *
   * @throws ManagerError (KW3007) before `run()` when the manager makes its own client.
   */
  get cache(): Cache {
    return this.#shared.cache;
  }

  /** Ports that were bound, for addresses that left the choice open. */
  get ports(): { readonly metrics: number | undefined; readonly health: number | undefined } {
    return this.#servers.ports;
  }

  /** Adds a runnable; started at once when the manager runs (and, if it needs that, leads). */
  add(runnable: Runnable): void {
    const leaderOnly = this.#options.leaderElection !== undefined && runnable.needLeaderElection !== false;
    (leaderOnly ? this.#leading : this.#everywhere).add(runnable);
  }

  /**
   * Runs until stopped: by the signal, by SIGINT or SIGTERM, or by a failure, which is thrown.
   *
   * @throws ManagerError (KW3007) when called twice.
   */
  run(): Promise<void> {
    if (this.#running) throw new ManagerError('cannot run a manager twice; make a new one');
    this.#running = this.#run();
    return this.#running;
  }

  /** Resolves when caches are synced and controllers run (on a follower: when it is ready to take over). */
  started(): Promise<void> {
    return this.#started;
  }

  /** Stops the manager and waits for its end; what `run()` throws is thrown there only. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new ManagerError('the manager was disposed'));
    await this.#running?.catch(() => {});
  }

  async #run(): Promise<void> {
    const { options } = { options: this.#options };
    const handleSignals = options.handleSignals ?? options.signal === undefined;
    using stop = stopSignal({ outer: options.signal, handleSignals, log: this.#log });
    const onStop = (): void => this.#stop.abort(stop.signal.reason);
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
    // Caches outlive the controllers: a reconcile that is finishing reads them.
    const cacheStop = new AbortController();
    let caches: Promise<void> | undefined;
    let ownClient: KubernetesClient | undefined;
    try {
      await this.#startServers();
      if (!this.#parts) {
        ownClient = await loadClient(this.#from, this.#metrics);
        this.#parts = makeParts(ownClient, this.#from);
      }
      if (options.watchdog ?? true) {
        const { Watchdog } = await import('../watchdog/watchdog.ts');
        this.#watchdog = new Watchdog({ log: this.#log, clock: this.#clock });
      }
      this.#group = this.#makeGroup((definition) => !this.#needsLease(definition));
      caches = this.#shared.cache.run(cacheStop.signal);
      this.#everywhere.start();
      await this.#work(this.#stop.signal);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#fail(error);
    }
    await this.#shutDown({ cacheStop, caches });
    await ownClient?.[Symbol.asyncDispose]();
    const { reason } = this.#stop.signal;
    if (reason instanceof RunFailure) {
      this.#failStart(reason.cause);
      throw reason.cause;
    }
    this.#failStart(new ManagerError('the manager was stopped before it had started'));
  }

  async #startServers(): Promise<void> {
    const { metricsBindAddress = '0' } = this.#options;
    if (metricsBindAddress !== '0') {
      this.#metrics = await prometheusMetrics();
      this.#metrics.caches(() => this.#informers.map((informer) => informer.gauges));
    }
    await this.#servers.start(this.#metrics);
  }

  /** Campaigns and works for as long as it leads, over and over; without leader election it works at once. */
  async #work(signal: AbortSignal): Promise<void> {
    const { leaderElection } = this.#options;
    if (!leaderElection) {
      await this.#lead(signal);
      return;
    }
    await this.#group?.start(signal);
    this.#announceStart();
    const elector = new LeaderElector({
      ...leaderElection,
      client: this.client,
      clock: this.#clock,
      random: this.#random,
      log: this.#log.named('leader-election'),
    });
    this.#metrics?.leader(elector.name, false);
    await elector.run(signal, async (term) => {
      this.#metrics?.leader(elector.name, true);
      try {
        await this.#lead(term, elector);
      } finally {
        this.#metrics?.leader(elector.name, false);
      }
    });
  }

  /** Runs controllers and what else needs leadership until the term is over. */
  async #lead(term: AbortSignal, elector?: LeaderElector): Promise<void> {
    // A queue that was shut down stays so: each term has controllers of its own.
    const mine = elector
      ? this.#makeGroup((definition) => this.#needsLease(definition), this.client.intercepted(whileLeading(elector)))
      : this.#group;
    try {
      await mine?.start(term);
      if (term.aborted) return;
      this.#leading.start();
      this.#announceStart();
      await aborted(term);
    } finally {
      // Over because the manager stops: reconciles may finish. Over because leadership was lost: another may work already.
      await mine?.stop({ undisturbed: this.#stop.signal.aborted, timeoutMs: this.#patience.timeoutMs });
      await this.#leading.stop(this.#patience);
    }
  }

  async #shutDown(parts: {
    readonly cacheStop: AbortController;
    readonly caches: Promise<void> | undefined;
  }): Promise<void> {
    if (!this.#stop.signal.aborted) this.#stop.abort(new ManagerError('the manager has ended'));
    await this.#group?.stop({ undisturbed: true, timeoutMs: this.#patience.timeoutMs });
    await this.#everywhere.stop(this.#patience);
    parts.cacheStop.abort();
    await parts.caches;
    const flush = new AbortController();
    const timer = this.#clock.setTimer(1_000, () => flush.abort());
    await this.#parts?.recorder.stop(flush.signal);
    timer[Symbol.dispose]();
    await this.#servers[Symbol.asyncDispose]();
    await this.#watchdog?.[Symbol.asyncDispose]();
  }

  get #patience(): { readonly clock: Clock; readonly timeoutMs: number } {
    return { clock: this.#clock, timeoutMs: this.#options.gracefulShutdownTimeoutMs ?? 30_000 };
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) {
      this.#log.error('a failure while stopping', { error });
      return;
    }
    this.#stop.abort(new RunFailure(error));
  }

  get #shared(): ManagerParts {
    if (this.#parts) return this.#parts;
    throw new ManagerError(
      'the manager has no client yet: it makes one when it runs; await started(), or pass "client"',
    );
  }

  get #informers(): ManagerParts['cache']['informers'] {
    return this.#parts?.cache.informers ?? [];
  }

  #needsLease(definition: ControllerDefinition): boolean {
    return this.#options.leaderElection !== undefined && (definition.needLeaderElection ?? true);
  }

  #makeGroup(
    wanted: (definition: ControllerDefinition) => boolean,
    client: KubernetesClient = this.client,
  ): ControllerGroup {
    const { cache, kinds, recorder } = this.#shared;
    const parts: ControllerParts = {
      client,
      cache,
      kinds,
      clock: this.#clock,
      random: this.#random,
      log: this.#log,
      recorder: (controller, regarding) => recorder.for(controller, regarding),
      ...(this.#watchdog && { activity: this.#watchdog.activity }),
      ...(this.#metrics && { metrics: this.#metrics }),
    };
    return new ControllerGroup(this.#controllers.filter(wanted), parts);
  }
}

/** Carries a failure as the reason of a stop. */
class RunFailure extends Error {
  constructor(cause: unknown) {
    super('the manager failed', { cause });
  }
}

function checkNames(controllers: readonly ControllerDefinition[]): void {
  const seen = new Set<string>();
  for (const { name } of controllers) {
    if (seen.has(name))
      throw new ManagerError(`cannot run two controllers named "${name}"; give one of them another "name"`);
    seen.add(name);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
