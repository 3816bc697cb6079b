import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, type Logger, Manager } from '@kubewright/runtime';
import { SharedInformers } from '@kubewright/runtime/internal';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
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

/** Maximum total size of the decoded objects that components keep, in bytes of JSON: enough for about 5,000 pods. */
const decodedBytes = 16 << 20;

/**
 * Runs a cluster's components, each with its own manager. They share their informers, as the controllers of kube-controller-manager
 * do. A component that fails is restarted; the others are not affected.
 */
export class Components implements AsyncDisposable {
  readonly #services: ComponentServices;
  readonly #informers: SharedInformers;
  readonly #stop = new AbortController();
  readonly #runs: Promise<void>[] = [];

  /** @param services - `reader`: the client that lists and watches for all components. */
  constructor(services: ComponentServices & { readonly reader: KubernetesClient }) {
    this.#services = services;
    const { reader: client, random } = services;
    const log = services.log.named('informers');
    const clock = containedClock(services.clock, (error) =>
      log.error('timer callback failed', { event: clusterLogEvents.timerFailed, error }),
    );
    this.#informers = new SharedInformers({ client, clock, random, log, decodedBytes });
    // Every component adds a listener.
    setMaxListeners(0, this.#stop.signal);
  }

  /** Starts components. Resolves once all of them have started; rejects if one fails before its first start completes. */
  async start(components: readonly Component[]): Promise<void> {
    await Promise.all(components.map((component) => this.#start(component)));
  }

  #start(component: Component): Promise<void> {
    const { signal } = this.#stop;
    const log = this.#services.log.named(component.name);
    const clock = containedClock(this.#services.clock, (error) =>
      log.error('timer callback failed', { event: clusterLogEvents.timerFailed, error }),
    );
    return new Promise((started, failedToStart) => {
      const run = runWithRestarts({
        clock,
        signal,
        run: () => this.#run(component, { clock, log, started }),
        failed: (error, { restartInMs }) => {
          failedToStart(error);
          log.error('component failed; restarting', { event: clusterLogEvents.componentFailed, error, restartInMs });
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
      informers: this.#informers,
      clock,
      random: this.#services.random,
      log,
      // As in Kubernetes, errors are only logged, and each component records its own events.
      controllerDefaults: { errorEvents: false },
      watchdog: false,
      handleSignals: false,
      gracefulShutdownTimeoutMs: 1_000,
      signal: this.#stop.signal,
    });
    const running = manager.run();
    // If the start fails, `run()` rejects with the error.
    manager.started().then(started, () => {});
    await running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the cluster is stopping'));
    await Promise.all(this.#runs);
    await this.#informers[Symbol.asyncDispose]();
  }
}
