import { type KubernetesObject, systemClock, systemRandom } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Cache } from '../cache/cache.ts';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { ControllerParts } from '../controller/definition/controller-parts.ts';
import { whileElected } from '../leader-election/while-leading.ts';
import { defaultLogger } from '../log/default-logger.ts';
import type { Permissions } from '../permissions/permission-report.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { Runnable } from '../runnable/runnable.ts';
import { ReconcileTracing } from '../tracing/reconcile-tracing.ts';
import type { Watchdog } from '../watchdog/watchdog.ts';
import type { AddedController } from './added-controller.ts';
import { AddedControllers } from './added-controllers.ts';
import { cacheSync } from './cache-sync.ts';
import { ControllerGroup } from './controller-group.ts';
import { logOverlaps } from './controller-overlaps.ts';
import { Leadership } from './leadership.ts';
import { ManagerError } from './manager-error.ts';
import { ManagerLifecycle } from './manager-lifecycle.ts';
import type { ManagerOptions } from './manager-options.ts';
import { loadClient, type ManagerParts, makeParts, type PartsOptions } from './manager-parts.ts';
import { ManagerServers } from './manager-servers.ts';
import { managedControllers } from './manager-sharding.ts';
import { RunnableGroups } from './runnable-groups.ts';
import { flushEvents, logPermissions, stopInOrder } from './shut-down.ts';
import { stopSignal } from './stop-signal.ts';

/**
 * Owns the parts that controllers share (client, cache, servers, leadership). Starts all parts in order: servers and
 * the runnables that caches need, caches, other runnables and, when leading, the controllers. Stops them in reverse
 * order.
 *
 * A manager runs once and cannot be restarted. Unlike controller-runtime's manager (v0.24), it survives a lost lease:
 * it stops the term's controllers, campaigns again, and creates new controllers for the next term.
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
  readonly #controllers: readonly ControllerDefinition[];
  readonly #from: PartsOptions;
  #parts: ManagerParts | undefined;
  #electedClient: KubernetesClient | undefined;
  #leadership: Leadership | undefined;
  readonly #runnables: RunnableGroups;
  readonly #lifecycle: ManagerLifecycle;
  readonly #servers: ManagerServers;
  #watchdog: Watchdog | undefined;
  #running: Promise<void> | undefined;
  readonly #added: AddedControllers;
  /** Controllers that run even if this process does not lead. */
  #group: ControllerGroup | undefined;
  readonly #tracing: ReconcileTracing | undefined;

  /**
   * @throws ManagerError (KW3007) if two controllers have the same name, or a controller is `sharded` but `sharding` is
   * missing.
   */
  constructor(options: ManagerOptions) {
    const { clock = systemClock, random = systemRandom } = options;
    this.#options = options;
    const { log = defaultLogger({ clock }), gracefulShutdownTimeoutMs = 30_000 } = options;
    this.#lifecycle = new ManagerLifecycle({ clock, log, gracefulShutdownTimeoutMs });
    const managed = managedControllers(options, { client: () => this.unfencedClient, clock, random, log });
    this.#controllers = managed.controllers;
    if (options.tracer) this.#tracing = new ReconcileTracing(options.tracer);
    this.#from = { options, controllers: this.#controllers, clock, random, log };
    this.#added = new AddedControllers({
      defaults: options.controllerDefaults,
      declared: this.#controllers,
      log,
      lifecycle: this.#lifecycle,
      makeCache: (...args) => this.#shared.makeCache(...args),
      controllerParts: (client) => this.#controllerParts(client),
      synced: (cache, signal) => this.#cacheSync(cache, signal),
      removed: (controller) => {
        this.#runnables.of(controller).remove(controller);
        this.#servers.metrics?.removeController(controller.name);
      },
    });
    if (options.client) this.#parts = makeParts(options.client, this.#from);
    const failed = (error: unknown): void => this.#lifecycle.fail(error);
    this.#runnables = new RunnableGroups({ log, failed }, { hasElection: options.leaderElection !== undefined });
    this.#servers = new ManagerServers(this.#from, {
      client: () => this.#parts?.client,
      informers: () => this.#informers,
      shared: () => this.#shared,
    });
    if (this.#servers.webhooks) this.add(this.#servers.webhooks);
    for (const runnable of [...(options.runnables ?? []), ...managed.runnables]) this.add(runnable);
  }

  /**
   * A client for code outside the controllers. With leader election, it writes only while this replica leads; other
   * writes are rejected with `LeaderElectionError` (KW3008). The client is not bound to a term. Prefer `ctx.client` or
   * the client passed to `Runnable.run`, which also block writes that belong to an earlier term.
   * @throws ManagerError (KW3007) before `run()` if the manager creates its own client.
   */
  get client(): KubernetesClient {
    const { client } = this.#shared;
    if (!this.#options.leaderElection) return client;
    this.#electedClient ??= client.intercepted(whileElected(() => this.#leadership?.elector));
    return this.#electedClient;
  }

  /**
   * A client like {@link Manager.client}, without the check for leadership. Use it for writes that any replica can make
   * at any time, such as writes of an HTTP server.
   * @throws ManagerError (KW3007) before `run()` if the manager creates its own client.
   */
  get unfencedClient(): KubernetesClient {
    return this.#shared.client;
  }

  /**
   * The cache that controllers share. Reads of declared kinds are never behind this process's own writes.
   * @throws ManagerError (KW3007) before `run()` if the manager creates its own client.
   */
  get cache(): Cache {
    return this.#shared.cache;
  }

  /**
   * Returns a recorder that writes events as the given controller, for code outside reconciles; in a reconcile, use
   * `ctx.events`. Events are about `regarding` unless they name another object.
   * @throws ManagerError (KW3007) before `run()` if the manager creates its own client.
   */
  recorder(controller: string, regarding?: KubernetesObject): EventRecorder {
    return this.#shared.recorder.for(controller, regarding);
  }

  /**
   * The permissions that this program declares and has used so far. Use them to write a minimal role.
   * @throws ManagerError (KW3007) before `run()` if the manager creates its own client.
   */
  get permissions(): Permissions {
    return this.#shared.permissions;
  }

  /** The bound ports; useful if an address has port 0, so the system chooses the port. */
  get ports(): Readonly<Record<'metrics' | 'health' | 'webhook', number | undefined>> {
    return this.#servers.ports;
  }

  /**
   * Adds a controller or a runnable. It starts immediately if the manager is running. If it needs leadership, it starts
   * when this process leads, and again in each later term.
   *
   * An added controller has its own caches: `ctx.get` and `ctx.list` read kinds that this controller declares from the
   * cache, and all other kinds live. The manager's `controllerDefaults` apply.
   *
   * @returns for a controller, a handle that can remove it.
   * @throws ManagerError (KW3007) once the manager has been stopped, if another controller has the same name, and for a `sharded`
   * controller.
   *
   * @example
   * ```ts
   * const added = manager.add(controllerFor(tenant));
   * await added.remove();
   * ```
   */
  add(controller: ControllerDefinition): AddedController;
  add(runnable: Runnable): void;
  add(part: Runnable | ControllerDefinition): AddedController | undefined {
    if (typeof part.run !== 'function') {
      const controller = this.#added.add(part as ControllerDefinition, (runnable) => this.#addRunnable(runnable));
      this.#parts?.require(controller.definition);
      return controller;
    }
    this.#addRunnable(part as Runnable);
    return undefined;
  }

  #addRunnable(runnable: Runnable): void {
    if (this.#lifecycle.signal.aborted)
      throw new ManagerError({ what: `cannot add the runnable "${runnable.name}"`, why: 'the manager has stopped' });
    this.#runnables.of(runnable).add(runnable);
  }

  /**
   * Runs until the signal, SIGINT, SIGTERM or a failure stops the manager; throws the failure.
   * @throws ManagerError (KW3007) if called twice.
   */
  async run(): Promise<void> {
    if (this.#running) throw new ManagerError({ what: 'cannot run a manager twice', remedy: 'create a new manager' });
    this.#running = this.#run();
    return this.#running;
  }

  /**
   * Resolves when caches are synced and controllers run (on a follower: when this process is ready to take over).
   * Caches of kinds that are not installed, and the controllers that need them, start automatically once the kinds are
   * installed.
   */
  started(): Promise<void> {
    return this.#lifecycle.started.promise;
  }

  /** Resolves when this process leads for the first time; without leader election, when it starts to work. */
  elected(): Promise<void> {
    return this.#lifecycle.elected.promise;
  }

  /** Stops the manager and waits until it has stopped; errors are thrown only by `run()`. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lifecycle.stop(new ManagerError({ what: 'the manager was disposed' }));
    if (this.#running) await this.#running.catch(() => {});
    else this.#lifecycle.end();
  }

  async #run(): Promise<void> {
    const { signal: outer, handleSignals = outer === undefined, watchdog = true } = this.#options;
    using stop = stopSignal({ outer, handleSignals, log: this.#from.log });
    const onStop = (): void => this.#lifecycle.stop(stop.signal.reason);
    if (stop.signal.aborted) onStop();
    else stop.signal.addEventListener('abort', onStop, { once: true });
    // Stops the caches after the controllers, because reconciles read the caches until they finish.
    const cacheStop = new AbortController();
    let caches: Promise<void> | undefined;
    let ownClient: KubernetesClient | undefined;
    let serving: Promise<void> | undefined;
    logOverlaps(this.#controllers, this.#from.log);
    try {
      serving = this.#servers.start();
      serving.catch(() => {
        // The error is thrown below, once the caches have begun to list.
      });
      if (!this.#parts) {
        ownClient = await loadClient(this.#from, this.#servers.metrics);
        this.#parts = makeParts(ownClient, this.#from);
        for (const definition of this.#added.definitions) this.#parts.require(definition);
      }
      if (watchdog) {
        const { Watchdog } = await import('../watchdog/watchdog.ts');
        this.#watchdog = new Watchdog({ log: this.#from.log, clock: this.#from.clock });
      }
      await this.#runnables.first.start(this.#lifecycle.signal, { client: this.unfencedClient });
      this.#group = this.#makeGroup((definition) => !this.#needsLease(definition));
      caches = this.#shared.cache.run(cacheStop.signal);
      await serving;
      await this.#work(this.#group, this.#lifecycle.signal);
    } catch (error) {
      if (!this.#lifecycle.signal.aborted) this.#lifecycle.fail(error);
    }
    // Servers that are still starting cannot be stopped.
    await serving?.catch(() => {});
    await this.#shutDown({ cacheStop, caches, ownClient });
    this.#lifecycle.end();
  }

  async #work(always: ControllerGroup, signal: AbortSignal): Promise<void> {
    const prepared = this.#prepare(signal);
    prepared.catch(() => {
      // Callers that await `prepared` get the error. This handler prevents an unhandled rejection while there are no
      // such callers.
    });
    this.#leadership = new Leadership({
      election: this.#options.leaderElection,
      client: this.unfencedClient,
      clock: this.#from.clock,
      random: this.#from.random,
      log: this.#from.log,
      metrics: this.#servers.metrics,
      events: this.recorder('leader-election'),
      makeGroup: (client) => this.#makeGroup((definition) => this.#needsLease(definition), client),
      always,
      leading: this.#runnables.leading,
      prepared,
      budget: () => (signal.aborted ? this.#lifecycle.budget : this.#lifecycle.newBudget()),
      onReady: () => this.#lifecycle.started.reach(),
      onElected: () => this.#lifecycle.elected.reach(),
    });
    await this.#leadership.run(signal);
  }

  /** Waits for caches, then starts all parts that need caches but no lease. */
  async #prepare(signal: AbortSignal): Promise<void> {
    await this.#cacheSync(this.#shared.cache, signal);
    await this.#runnables.everywhere.start(signal, { client: this.unfencedClient });
  }

  #cacheSync(cache: InformerCache, signal: AbortSignal): Promise<void> {
    const { cacheSyncTimeoutMs: timeoutMs = 0 } = this.#options;
    return cacheSync(cache, { clock: this.#from.clock, log: this.#from.log, timeoutMs, signal });
  }

  #shutDown(parts: {
    readonly cacheStop: AbortController;
    readonly caches: Promise<void> | undefined;
    readonly ownClient: KubernetesClient | undefined;
  }): Promise<void> {
    if (!this.#lifecycle.signal.aborted) this.#lifecycle.stop(new ManagerError({ what: 'the manager has stopped' }));
    const { budget } = this.#lifecycle;
    return stopInOrder(this.#lifecycle, [
      () => this.#group?.stop({ undisturbed: true, budget }),
      () => this.#runnables.everywhere.stop(budget),
      () => {
        parts.cacheStop.abort();
        return parts.caches;
      },
      () => this.#runnables.first.stop(budget),
      () => this.#parts && flushEvents(this.#parts.recorder, this.#from.clock),
      () => this.#servers[Symbol.asyncDispose](),
      () => this.#watchdog?.[Symbol.asyncDispose](),
      () => this.#parts && logPermissions(this.#parts.permissions, this.#from.log),
      () => parts.ownClient?.[Symbol.asyncDispose](),
    ]);
  }

  get #shared(): ManagerParts {
    if (this.#parts) return this.#parts;
    throw new ManagerError({
      what: 'the manager has no client yet',
      why: 'a manager creates its client when it starts',
      remedy: 'await started() first, or pass the "client" option',
    });
  }

  get #informers(): ManagerParts['cache']['informers'] {
    return [...(this.#parts?.cache.informers ?? []), ...this.#added.informers];
  }

  #needsLease(definition: ControllerDefinition): boolean {
    return this.#options.leaderElection !== undefined && (definition.needLeaderElection ?? true);
  }

  #makeGroup(
    wanted: (definition: ControllerDefinition) => boolean,
    client: KubernetesClient = this.unfencedClient,
  ): ControllerGroup {
    return new ControllerGroup(this.#controllers.filter(wanted), this.#controllerParts(client));
  }

  #controllerParts(client: KubernetesClient): ControllerParts {
    const { cache, kinds } = this.#shared;
    return {
      client,
      cache,
      kinds,
      clock: this.#from.clock,
      random: this.#from.random,
      log: this.#from.log,
      recorder: (controller, regarding) => this.recorder(controller, regarding),
      panicked: (error) => this.#lifecycle.fail(error),
      failed: (error) => this.#lifecycle.fail(error),
      tracing: this.#tracing,
      activity: this.#watchdog?.activity,
      metrics: this.#servers.metrics,
    };
  }
}
