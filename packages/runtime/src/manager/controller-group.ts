import { defined } from '@kubewright/apimachinery/internal';
import { ControllerLoop } from '../controller/controller-loop.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { ControllerParts } from '../controller/definition/controller-parts.ts';
import { settleMs } from '../controller/pipeline/reconcile-lifetime.ts';
import { logEvents } from '../log/log-events.ts';
import { ManagerError } from './manager-error.ts';
import type { StopBudget } from './stop-budget.ts';

/** Time in milliseconds that running reconciles get to finish after a stop is requested, before they are aborted. */
const undisturbedMs = 2_000;

/** Maximum number of keys that are logged. */
const maxKeys = 10;

export interface StopOptions {
  /** Gives running reconciles a grace period before their signals are aborted. */
  readonly undisturbed: boolean;
  readonly budget: StopBudget;
}

/**
 * Controllers that start and stop together: the controllers of one leadership term, or the controllers that need no lease. Single
 * use.
 */
export class ControllerGroup {
  readonly #loops: readonly ControllerLoop[];
  readonly #parts: ControllerParts;

  constructor(definitions: readonly ControllerDefinition[], parts: ControllerParts) {
    this.#parts = parts;
    this.#loops = definitions.map((definition) => new ControllerLoop(definition, parts));
  }

  /** Takes over the keys left by the group of an earlier term. */
  takeOver(before: ControllerGroup): void {
    const earlier = new Map(before.#loops.map((loop) => [loop.name, loop]));
    for (const loop of this.#loops) {
      const its = earlier.get(loop.name);
      if (its) loop.takeOver(its);
    }
  }

  /** Starts the sources of controllers that warm up: their queues fill, but no workers run yet. */
  warmUp(signal: AbortSignal): void {
    for (const loop of this.#loops.filter((each) => each.warmUp)) {
      loop.startSources(signal).catch((error: unknown) => {
        // The error is logged again, and thrown, when the controller starts to work.
        if (!signal.aborted)
          this.#parts.log.warn('cannot warm up the caches', {
            event: logEvents.cacheWarmUpFailed,
            controller: loop.name,
            error,
          });
      });
    }
  }

  /**
   * Starts the sources, then the workers of each controller once all existing objects are in its queue; starts nothing
   * once aborted. Resolves when all controllers work, except controllers that wait for kinds that are not served; these
   * controllers start automatically later.
   * @param options.after - an additional wait for workers: caches that no controller of this group watches.
   */
  async start(signal: AbortSignal, options: { readonly after: Promise<void> }): Promise<void> {
    const { after } = options;
    try {
      // Subscribe before the caches have listed, so that nothing has to be replayed.
      const ready = this.#loops.map((loop) => {
        const sources = loop.startSources(signal);
        sources.catch(() => {
          // The error is thrown to the callers that await it below.
        });
        return { loop, sources };
      });
      await after;
      await Promise.all(ready.map(({ loop, sources }) => this.#startWorkers(loop, { sources, signal })));
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
  }

  async #startWorkers(
    loop: ControllerLoop,
    { sources, signal }: { readonly sources: Promise<void>; readonly signal: AbortSignal },
  ): Promise<void> {
    const working = Promise.all([sources, loop.waitForCaches(signal)]).then(() => {
      if (!signal.aborted) loop.startWorkers();
    });
    working.catch(() => {
      // The error is thrown to the callers that await it below.
    });
    const kinds = await loop.missingKinds(signal);
    if (kinds.length === 0) return working;
    const { log, failed } = this.#parts;
    const remedy = 'install their CustomResourceDefinitions; the controller then starts automatically';
    log.warn('the controller waits for kinds that are not installed', {
      event: logEvents.controllerWaiting,
      controller: loop.name,
      kinds,
      remedy,
    });
    working.catch((error: unknown) => {
      if (!signal.aborted) failed?.(error);
    });
  }

  /** Accepts no more keys and waits for running reconciles; logs reconciles that do not end in time. */
  async stop({ undisturbed, budget }: StopOptions): Promise<void> {
    const { clock, log } = this.#parts;
    const deadline = new AbortController();
    const giveUp = (): void => deadline.abort(new ManagerError({ what: 'the controller is stopping' }));
    using _patience = clock.setTimer(undisturbed ? Math.min(undisturbedMs, budget.leftMs) : 0, giveUp);
    const all = Promise.all(this.#loops.map((loop) => loop.stop({ deadline: deadline.signal })));
    const names = (): readonly string[] => this.#loops.filter((loop) => loop.isWorking).map((loop) => loop.name);
    const lasts = (): void => this.#logWaiting(budget, settleMs - (undisturbed ? 0 : undisturbedMs));
    if (await budget.wait(all, { names, lasts })) return;
    const controllers = names();
    // The list is empty if the last reconcile ended just as the time budget ran out.
    if (controllers.length > 0)
      log.error('running reconciles did not end in time', { event: logEvents.controllerLate, controllers });
  }

  #logWaiting({ leftMs, endsAtOnce }: StopBudget, maxMs: number): void {
    const keys = this.#loops.flatMap((loop) => loop.queue.working().map((key) => `${loop.name} ${key}`));
    if (keys.length === 0) return;
    const more = keys.length > maxKeys ? [`and ${keys.length - maxKeys} more`] : [];
    this.#parts.log.info('stopping: waiting for running reconciles to end', {
      event: logEvents.reconcilesStopping,
      reconciles: [...keys.slice(0, maxKeys), ...more],
      atMostMs: Math.min(leftMs, maxMs),
      ...defined({ endsAtOnce }),
    });
  }
}
