import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, type Logger, Manager } from '@kubewright/runtime';
import { containedClock } from './contained-clock.ts';
import { runWithRestarts } from './restarts.ts';

/** A part of the cluster that is an ordinary program built on the runtime. */
export interface Component {
  /** Name in log lines. */
  readonly name: string;
  /** A client that acts under the component's own identity. */
  readonly client: KubernetesClient;
  /** Returns a new controller for each start, because the old controller's state may have caused its failure. */
  readonly definition: () => ControllerDefinition;
}

/** The clock, randomness and log that components share. */
export interface ComponentServices {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Runs a cluster's components, each with its own manager. A component that fails is restarted; the others are not affected. */
export class Components implements AsyncDisposable {
  readonly #surroundings: ComponentServices;
  readonly #stop = new AbortController();
  readonly #runs: Promise<void>[] = [];

  constructor(surroundings: ComponentServices) {
    this.#surroundings = surroundings;
    // Every component adds a listener.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts components. Resolves once all of them work; rejects if one fails before its first start completes. */
  async start(components: readonly Component[]): Promise<void> {
    await Promise.all(components.map((component) => this.#start(component)));
  }

  #start(component: Component): Promise<void> {
    const { signal } = this.#stop;
    const log = this.#surroundings.log.named(component.name);
    const clock = containedClock(this.#surroundings.clock, (error) => log.error('timer callback failed', { error }));
    return new Promise((started, failedToStart) => {
      const run = runWithRestarts({
        clock,
        signal,
        run: () => this.#run(component, { clock, log, started }),
        failed: (error, { restartInMs }) => {
          failedToStart(error);
          log.error('component failed; restarting', { error, restartInMs });
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
      // Same as in Kubernetes: errors go to the log, and each component records its own events.
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
      gracefulShutdownTimeoutMs: 1_000,
      signal: this.#stop.signal,
    });
    const running = manager.run();
    // The run reports a failed start.
    manager.started().then(started, () => {});
    await running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the cluster is stopping'));
    await Promise.all(this.#runs);
  }
}
