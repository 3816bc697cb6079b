import type { ControllerDefinition } from '../controller/controller-definition.ts';
import { ControllerLoop, type ControllerParts } from '../controller/controller-loop.ts';
import { ManagerError } from './manager-error.ts';

/** How long running reconciles go on undisturbed once the stop was asked for, in milliseconds. */
const undisturbedMs = 2_000;

/** How a group is stopped. */
export interface StopOptions {
  /** Lets running reconciles finish for a while before their signals are aborted. */
  readonly undisturbed: boolean;
  /** Longest wait for reconciles, in milliseconds. */
  readonly timeoutMs: number;
}

/** Controllers that start and stop together: those of one term of leadership, or those that need none. Used once. */
export class ControllerGroup {
  readonly #loops: readonly ControllerLoop[];
  readonly #parts: ControllerParts;

  constructor(definitions: readonly ControllerDefinition[], parts: ControllerParts) {
    this.#parts = parts;
    this.#loops = definitions.map((definition) => new ControllerLoop(definition, parts));
  }

  /** Starts sources, waits until all that is there is in the queues, and starts workers; nothing of it once aborted. */
  async start(signal: AbortSignal): Promise<void> {
    const nagging = this.#nagUntilSynced(signal);
    try {
      await Promise.all(this.#loops.map((loop) => loop.startSources(signal)));
      await this.#parts.cache.waitForSync(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    } finally {
      nagging[Symbol.dispose]();
    }
    if (signal.aborted) return;
    for (const loop of this.#loops) loop.startWorkers();
  }

  /** Takes no more keys and waits for running reconciles; those that do not end in time are told in the log. */
  async stop(options: StopOptions): Promise<void> {
    const { clock, log } = this.#parts;
    const { undisturbed, timeoutMs } = options;
    const patience = new AbortController();
    const giveUp = (): void => patience.abort(new ManagerError('the controller is being stopped'));
    using _patience = clock.setTimer(undisturbed ? Math.min(undisturbedMs, timeoutMs) : 0, giveUp);
    const all = Promise.all(this.#loops.map((loop) => loop.stop({ patience: patience.signal })));
    let limit: Disposable | undefined;
    const late = new Promise<'late'>((resolve) => {
      limit = clock.setTimer(timeoutMs, () => resolve('late'));
    });
    if ((await Promise.race([all, late])) === 'late') log.error('reconciles did not end in time', { timeoutMs });
    limit?.[Symbol.dispose]();
  }

  /** Says every ten seconds what is being waited for: a missing kind or permission must not look like a hang. */
  #nagUntilSynced(signal: AbortSignal): Disposable {
    const { clock, log, cache } = this.#parts;
    const nag = (): void => {
      const kinds = cache.informers.filter((informer) => !informer.hasSynced).map((informer) => informer.kind.kind);
      if (kinds.length > 0) log.info('waiting for the first listing', { kinds });
      if (!signal.aborted) timer = arm();
    };
    const arm = (): Disposable => clock.setTimer(10_000, nag, { unref: true });
    let timer = arm();
    return { [Symbol.dispose]: () => timer[Symbol.dispose]() };
  }
}
