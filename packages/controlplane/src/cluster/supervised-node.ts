import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { NodeConnector } from '../kube-apiserver/pods/node-connector.ts';
import { clusterLogEvents } from '../log/cluster-log-events.ts';
import { Deadline } from '../node/deadline.ts';
import { runWithRestarts } from './restarts.ts';

/** A node that has been created but is not running yet. */
export interface MadeNode {
  readonly agent: { run(): Promise<void>; started(): Promise<void> };
  readonly connector: NodeConnector;
  stop(options: { readonly withinMs: number }): Promise<void>;
}

/** Options for {@link SupervisedNode}. */
export interface SupervisedNodeOptions {
  /** Creates a new node for each start. */
  readonly make: () => Promise<MadeNode>;
  /** Called with each new node before it runs. */
  readonly onMade: (node: MadeNode) => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Time limit for cleaning up after a failed node, in milliseconds. */
const cleanUpMs = 6_000;

/** Runs a node's agent. If the agent fails, its containers are stopped and a new node replaces the failed node. */
export class SupervisedNode {
  readonly #options: SupervisedNodeOptions;
  readonly #stop = new AbortController();
  #node: MadeNode | undefined;
  #run: Promise<void> | undefined;
  /** The deadline of {@link stop}. */
  #deadline: Deadline | undefined;

  constructor(options: SupervisedNodeOptions) {
    this.#options = options;
  }

  /**
   * Starts the node. Resolves once the agent watches the API server; rejects if the first start fails, or if the node
   * is stopped first.
   */
  start(): Promise<void> {
    const { clock, log } = this.#options;
    let hasStarted = false;
    return new Promise((resolve, failedToStart) => {
      const started = (): void => {
        hasStarted = true;
        resolve();
      };
      this.#run ??= runWithRestarts({
        clock,
        signal: this.#stop.signal,
        run: () => this.#runOnce(started),
        failed: (error, { restartInMs }) => {
          if (hasStarted) {
            log.error('node agent failed; restarting', { event: clusterLogEvents.nodeFailed, error, restartInMs });
            return;
          }
          // A node that cannot start is not retried: the caller of start() reports the error.
          this.#stop.abort(new Error('the node did not start'));
          failedToStart(error);
        },
      });
      void this.#run.then(() => failedToStart(this.#stop.signal.reason));
    });
  }

  /** Stops the node. Does not wait for a node that is still being created: that node is stopped once it exists. */
  async stop(options: { readonly withinMs: number }): Promise<void> {
    this.#deadline ??= new Deadline(this.#options.clock, options.withinMs);
    this.#stop.abort(new Error('the node is stopping'));
    await this.#node?.stop(options);
    if (this.#run) await this.#deadline.meets(this.#run);
  }

  async #runOnce(started: () => void): Promise<void> {
    const node = await this.#options.make();
    if (this.#stop.signal.aborted) return node.stop({ withinMs: this.#deadline?.leftMs ?? cleanUpMs });
    this.#node = node;
    this.#options.onMade(node);
    try {
      const running = node.agent.run();
      // If the start fails, `run()` rejects with the error.
      node.agent.started().then(started, () => {});
      await running;
    } finally {
      if (!this.#stop.signal.aborted) await node.stop({ withinMs: cleanUpMs });
    }
  }
}
