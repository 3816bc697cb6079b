import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { ControllerParts } from '../controller/definition/controller-parts.ts';
import { Milestone } from '../runnable/milestone.ts';
import type { Runnable, RunnableContext } from '../runnable/runnable.ts';
import { ControllerGroup } from './controller-group.ts';
import { ManagerError } from './manager-error.ts';
import type { StopBudget } from './stop-budget.ts';

/**
 * A controller that was added to a manager. Dispose it to remove the controller again.
 *
 * @example
 * ```ts
 * await using added = manager.add(tenantController(tenant));
 * await added.started();
 * ```
 */
export interface AddedController extends AsyncDisposable {
  readonly name: string;
  /**
   * Resolves when the controller's caches are filled and its workers run for the first time; on a follower, once this
   * process leads. If kinds that the controller needs are not installed, its workers start once the kinds are
   * installed.
   * @throws ManagerError (KW3007) if the controller is removed, or the manager stops, before then.
   * @throws the error that kept the controller from starting, which also stops the manager.
   */
  started(): Promise<void>;
  /**
   * Removes the controller: it accepts no more keys, running reconciles finish, and its watches and metrics end.
   * Objects and finalizers are left unchanged. Resolves when all of its work has stopped.
   */
  remove(): Promise<void>;
}

/** Options for {@link ControllerRunnable}. */
export interface ControllerRunnableOptions {
  readonly definition: ControllerDefinition;
  readonly needLeaderElection: boolean;
  /** Creates the parts that the controller uses, with a separate cache. */
  readonly makeParts: (client: KubernetesClient) => Omit<ControllerParts, 'cache'> & { readonly cache: InformerCache };
  /** Aborted when the manager stops. */
  readonly managerStop: AbortSignal;
  /** Waits until the controller's caches have synced; fails after the manager's cache sync timeout, if one is set. */
  readonly synced: (cache: InformerCache, signal: AbortSignal) => Promise<void>;
  /** Returns the time limit for stopping, and whether the whole manager stops. */
  readonly stopping: () => { readonly budget: StopBudget; readonly isManager: boolean };
  /** Called once, when the controller was removed. */
  readonly removed: () => void;
}

/**
 * Runs one controller as a runnable: while the manager runs or, with leader election, leads. The controller has its own
 * caches, which stop with it and keep the managedFields entries of its field manager.
 */
export class ControllerRunnable implements Runnable, AddedController {
  readonly name: string;
  readonly needLeaderElection: boolean;
  readonly #options: ControllerRunnableOptions;
  readonly #started = new Milestone();
  readonly #removal = new AbortController();
  /** Resolves when the workers of the current run have started. */
  #working = new Milestone();
  #run: Promise<void> | undefined;
  /** The controllers of the previous term, whose remaining keys the next term takes over. */
  #before: ControllerGroup | undefined;
  #cache: InformerCache | undefined;
  #removed: Promise<void> | undefined;

  constructor(options: ControllerRunnableOptions) {
    this.#options = options;
    this.name = options.definition.name;
    this.needLeaderElection = options.needLeaderElection;
    const { managerStop } = options;
    const onStop = (): void => {
      const what = `the controller "${this.name}" was not started`;
      this.#started.fail(new ManagerError({ what, why: 'the manager has stopped' }, { cause: managerStop.reason }));
    };
    managerStop.addEventListener('abort', onStop, { once: true, signal: this.#removal.signal });
  }

  get definition(): ControllerDefinition {
    return this.#options.definition;
  }

  /** The informers that are currently running. */
  get informers(): InformerCache['informers'] {
    return this.#cache?.informers ?? [];
  }

  started(): Promise<void> {
    return this.#started.promise;
  }

  async ready(signal: AbortSignal): Promise<void> {
    const over = new Promise<void>((resolve) => {
      for (const each of [signal, this.#removal.signal])
        each.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted || this.#removal.signal.aborted) resolve();
    });
    await Promise.race([this.#working.promise, over]);
  }

  run(signal: AbortSignal, { client }: RunnableContext): Promise<void> {
    const term = AbortSignal.any([signal, this.#removal.signal]);
    this.#run = this.#runTerm(term, client).catch((error: unknown) => {
      // After a lost term, the controller may start in the next term.
      if (!term.aborted) this.#started.fail(error);
      throw error;
    });
    return this.#run;
  }

  remove(): Promise<void> {
    this.#removed ??= this.#remove();
    return this.#removed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }

  async #remove(): Promise<void> {
    const reason = new ManagerError({ what: `the controller "${this.name}" was removed` });
    this.#started.fail(reason);
    this.#removal.abort(reason);
    await this.#run?.catch(() => {
      // The manager, which runs the controller, reports the error.
    });
    this.#options.removed();
  }

  async #runTerm(signal: AbortSignal, client: KubernetesClient): Promise<void> {
    if (signal.aborted) return;
    const { definition, makeParts, synced, stopping } = this.#options;
    const parts = makeParts(client);
    const group = new ControllerGroup([definition], parts);
    if (this.#before) group.takeOver(this.#before);
    this.#before = group;
    this.#cache = parts.cache;
    const working = this.#working;
    const cacheStop = new AbortController();
    const caching = parts.cache.run(cacheStop.signal);
    try {
      await group.start(signal, { after: synced(parts.cache, signal) });
      working.reach();
      if (signal.aborted) return;
      this.#started.reach();
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
        if (signal.aborted) resolve();
      });
    } finally {
      working.reach();
      this.#working = new Milestone();
      const { budget, isManager } = stopping();
      // If leadership was lost, another replica may already be working.
      await group.stop({ budget, undisturbed: isManager || this.#removal.signal.aborted });
      // Stop the cache only now: reconciles read it until they finish.
      cacheStop.abort();
      await caching;
      this.#cache = undefined;
    }
  }
}
