import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, type Logger, Manager } from '@kubewright/runtime';
import { containedClock } from './contained-clock.ts';
import { runWithRestarts } from './restarts.ts';

/** A part of the cluster that is an ordinary program on the runtime. */
export interface Component {
  /** In log lines. */
  readonly name: string;
  /** Acts under the component's own identity. */
  readonly client: KubernetesClient;
  /** Returns a new controller for each start: the state of a failed one may be the reason of its failure. */
  readonly definition: () => ControllerDefinition;
}

/** The clock, chance and log that components share. */
export interface ComponentSurroundings {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Runs a cluster's components, each with its own manager. One that fails is restarted; the others are not affected. */
export class Components implements AsyncDisposable {
  readonly #surroundings: ComponentSurroundings;
  readonly #stop = new AbortController();
  readonly #runs: Promise<void>[] = [];

  constructor(surroundings: ComponentSurroundings) {
    this.#surroundings = surroundings;
    // Each component listens.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts components; resolves when all of them work, rejects when one fails before it does for the first time. */
  async start(components: readonly Component[]): Promise<void> {
    await Promise.all(components.map((component) => this.#start(component)));
  }

  #start(component: Component): Promise<void> {
    const { signal } = this.#stop;
    const log = this.#surroundings.log.named(component.name);
    const clock = containedClock(this.#surroundings.clock, (error) => log.error('a timer failed', { error }));
    return new Promise((started, failedToStart) => {
      const run = runWithRestarts({
        clock,
        signal,
        run: () => this.#run(component, { clock, log, started }),
        failed: (error, { restartInMs }) => {
          failedToStart(error);
          log.error('component failed; restarting it', { error, restartInMs });
        },
      });
      this.#runs.push(run);
    });
  }

  async #run(
    { client, definition }: Component,
    parts: { readonly clock: Clock; readonly log: Logger; readonly started: () => void },
  ): Promise<void> {
    const { clock, log, started } = parts;
    await using manager = new Manager({
      controllers: [definition()],
      client,
      clock,
      random: this.#surroundings.random,
      log,
      // As Kubernetes' own: errors are in the log, events are those that each part records.
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
      gracefulShutdownTimeoutMs: 1_000,
      signal: this.#stop.signal,
    });
    const running = manager.run();
    // The run reports a start that fails.
    manager.started().then(started, () => {});
    await running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the cluster stops'));
    await Promise.all(this.#runs);
  }
}
