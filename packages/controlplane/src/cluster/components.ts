import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, type Logger, Manager } from '@kubewright/runtime';

/** A part of the cluster that is an ordinary program on the runtime. */
export interface Component {
  /** In log lines. */
  readonly name: string;
  /** Acts under the component's own identity. */
  readonly client: KubernetesClient;
  readonly definition: ControllerDefinition;
}

/** Runs a cluster's components, each with a manager of its own. */
export class Components implements AsyncDisposable {
  readonly #managers: Manager[] = [];
  readonly #surroundings: { readonly clock: Clock; readonly random: Random; readonly log: Logger };

  constructor(surroundings: { readonly clock: Clock; readonly random: Random; readonly log: Logger }) {
    this.#surroundings = surroundings;
  }

  /** Starts components; resolves when all of them work. */
  async start(components: readonly Component[]): Promise<void> {
    const { clock, random, log } = this.#surroundings;
    const started = components.map(async ({ name, client, definition }) => {
      const own = log.named(name);
      const manager = new Manager({
        controllers: [definition],
        client,
        clock,
        random,
        log: own,
        // As Kubernetes' own: errors are in the log, events are those that each part records.
        controllerDefaults: { errorEvents: false },
        watchdog: false,
        handleSignals: false,
        gracefulShutdownTimeoutMs: 1_000,
      });
      this.#managers.push(manager);
      manager.run().catch((error: unknown) => own.error('component failed', { error }));
      await manager.started();
    });
    await Promise.all(started);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#managers.map((manager) => manager[Symbol.asyncDispose]()));
  }
}
