import type { Clock, Random } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { LeaderElectionOptions } from '../leader-election/leader-election-options.ts';
import { LeaderElector } from '../leader-election/leader-elector.ts';
import { whileLeading } from '../leader-election/while-leading.ts';
import type { Logger } from '../log/logger.ts';
import type { RuntimeMetrics } from '../metrics/runtime-metrics.ts';
import type { EventRecorder } from '../recorder/event-recorder.ts';
import type { ControllerGroup } from './controller-group.ts';
import type { RunnableGroup } from './runnable-group.ts';
import type { StopBudget } from './stop-budget.ts';

/** Options for {@link Leadership}. */
export interface LeadershipOptions {
  /** Leader election settings; if undefined, this process leads from the start. */
  readonly election: LeaderElectionOptions | undefined;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics | undefined;
  /** Records leadership changes on the Lease. */
  readonly events: EventRecorder;
  /** Creates the controllers of one term, which write through their own client. */
  readonly makeGroup: (client: KubernetesClient) => ControllerGroup;
  /** Controllers that need no lease. */
  readonly always: ControllerGroup;
  /** Runnables of the leader. */
  readonly leading: RunnableGroup;
  /** Resolves when caches are synced and all parts that need no lease are running. */
  readonly prepared: Promise<void>;
  /** Time limit for ending a term. */
  readonly budget: () => StopBudget;
  /** Called once all parts that should run are running; on a follower, when this process is ready to take over. */
  readonly onReady: () => void;
  /** Called when this process becomes leader. */
  readonly onElected: () => void;
}

/** The workers of one term. */
interface Term {
  readonly group: ControllerGroup;
  /** Allows writes only during this term. */
  readonly client: KubernetesClient;
}

/**
 * Runs controllers, term after term: controllers that need the lease run while this process holds it; all others run
 * immediately.
 */
export class Leadership {
  readonly #options: LeadershipOptions;
  #elector: LeaderElector | undefined;
  /** The next term; the sources of its controllers that warm up are already running. */
  #next: Term | undefined;

  constructor(options: LeadershipOptions) {
    this.#options = options;
  }

  /** The candidate, once it campaigns. */
  get elector(): LeaderElector | undefined {
    return this.#elector;
  }

  /** Runs until `signal` is aborted, which happens when the manager stops. */
  async run(signal: AbortSignal): Promise<void> {
    const { election, always, prepared, onReady, client, clock, random, log, metrics, events } = this.#options;
    if (!election) {
      await this.#lead({ group: always, client }, { term: signal, stopping: signal });
      return;
    }
    const elector: LeaderElector = new LeaderElector({
      ...election,
      client,
      clock,
      random,
      log: log.named('leader-election'),
      onTerm: (what, lease) => {
        const action = what === 'became leader' ? 'BecomeLeader' : 'StopLeading';
        events.record({ reason: 'LeaderElection', action, note: `${elector.identity} ${what}`, regarding: lease });
      },
    });
    this.#elector = elector;
    metrics?.leader(elector.name, false);
    this.#prepareTerm(elector, { signal });
    await always.start(signal, { after: prepared });
    onReady();
    try {
      await elector.run(signal, (term) => this.#runTerm(elector, { term, stopping: signal }));
    } finally {
      await this.#next?.group.stop({ undisturbed: false, budget: this.#options.budget() });
    }
  }

  async #runTerm(
    elector: LeaderElector,
    { term, stopping }: { readonly term: AbortSignal; readonly stopping: AbortSignal },
  ): Promise<void> {
    const { metrics } = this.#options;
    metrics?.leader(elector.name, true);
    try {
      await this.#lead(this.#next!, { term, stopping });
    } finally {
      metrics?.leader(elector.name, false);
      const over = this.#next;
      this.#next = undefined;
      if (!stopping.aborted) this.#prepareTerm(elector, { signal: stopping, over });
    }
  }

  /** A queue cannot restart after a shutdown, so each term gets its own controllers, with the keys left by the previous term. */
  #prepareTerm(
    elector: LeaderElector,
    { signal, over }: { readonly signal: AbortSignal; readonly over?: Term | undefined },
  ): void {
    const { makeGroup } = this.#options;
    const client = this.#options.client.intercepted(whileLeading(elector));
    const group = makeGroup(client);
    this.#next = { group, client };
    if (over) group.takeOver(over.group);
    group.warmUp(signal);
  }

  /** Runs controllers and all other parts that need leadership until the term ends. */
  async #lead(
    { group, client }: Term,
    { term, stopping }: { readonly term: AbortSignal; readonly stopping: AbortSignal },
  ): Promise<void> {
    const { leading, prepared, budget, onElected, onReady } = this.#options;
    onElected();
    try {
      await group.start(term, { after: prepared });
      if (term.aborted) return;
      await leading.start(term, { client });
      onReady();
      await aborted(term);
    } finally {
      const limit = budget();
      const reconciles = group.stop({ undisturbed: stopping.aborted, budget: limit });
      // If the manager stops, reconciles may finish. If leadership was lost, another replica may already be working.
      if (stopping.aborted) await reconciles;
      await Promise.all([reconciles, leading.stop(limit)]);
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
