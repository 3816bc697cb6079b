import type { Random, VirtualClock } from '@kubewright/apimachinery';
import { KubernetesClient } from '@kubewright/client';
import { type ControllerDefinition, type Logger, Manager } from '@kubewright/runtime';
import { ProcessClock } from '../../packages/runtime/src/leader-election/testdata/process-clock.ts';
import { FaultyTransport } from './faulty-transport.ts';
import type { RestartingServer } from './restarting-server.ts';

/** One process of the operator, with its own clock and network. */
export class Replica {
  readonly clock: ProcessClock;
  readonly transport: FaultyTransport;
  readonly #manager: Manager;
  readonly #client: KubernetesClient;
  /** The error that the operator failed with, if any. */
  failure: unknown;

  constructor(options: {
    readonly identity: string;
    readonly server: RestartingServer;
    readonly clock: VirtualClock;
    readonly random: Random;
    readonly log: Logger;
    readonly definition: ControllerDefinition;
    readonly count: (fault: string) => void;
  }) {
    const { identity, server, random, log, definition, count } = options;
    const clock = new ProcessClock(options.clock);
    this.clock = clock;
    this.transport = new FaultyTransport({ server: server.transport(), clock, random, count });
    this.#client = new KubernetesClient({ transport: this.transport, clock, random });
    this.#manager = new Manager({
      client: this.#client,
      controllers: [definition],
      clock,
      random,
      log,
      handleSignals: false,
      watchdog: false,
      // Longer than usual, so that a simulated month does not consist mostly of lease renewals.
      leaderElection: {
        id: 'sites',
        namespace: 'default',
        identity,
        leaseDurationSeconds: 60,
        renewDeadlineSeconds: 40,
        retryPeriodSeconds: 15,
      },
    });
    this.#manager.run().catch((error: unknown) => {
      this.failure = error;
    });
  }

  /** Stops gracefully; resolves when the process has ended. */
  async stop(): Promise<void> {
    await this.#manager[Symbol.asyncDispose]();
    await this.#client[Symbol.asyncDispose]();
  }
}
