import type { Clock } from '@kubewright/apimachinery';
import type { Logger } from '@kubewright/runtime';
import type { FailoverQuorum } from '../../api/v1/postgres-cluster.ts';
import type { ClusterAccess } from '../cluster/cluster-access.ts';
import type { SynchronousStandbys } from '../settings/settings-file.ts';
import type { LocalStatus } from '../sql/local-status.ts';
import { isSame, type QuorumState, quorumOf, quorumStep, withQuorum } from './quorum-step.ts';
import { synchronousStandbys } from './synchronous-standbys.ts';

export interface QuorumKeeperOptions {
  readonly access: ClusterAccess;
  /** Name of this instance. */
  readonly name: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Maximum number of published quorums, as in the CRD. */
const maxQuorums = 16;
/** Maximum time for which commits are held. WAL senders that still use an earlier setting are then terminated. */
const holdMs = 2_000;

/**
 * Changes the replicas that must confirm commits, in the server's configuration and in the published quorums of the cluster's
 * status.
 */
export class QuorumKeeper {
  readonly #options: QuorumKeeperOptions;
  /** Defined while this instance is a primary that publishes its quorum. */
  #state: QuorumState | undefined;
  #connected: readonly string[] = [];
  #heldAtMs: number | undefined;

  constructor(options: QuorumKeeperOptions) {
    this.#options = options;
  }

  /** The synchronous replicas to configure the server with. */
  get standbys(): SynchronousStandbys {
    return this.#state?.applied ?? this.#wanted;
  }

  /** True while commits are held, so the next step is urgent. */
  get isHolding(): boolean {
    return this.#heldAtMs !== undefined;
  }

  /** True if commits have been held for so long that a WAL sender must have missed the new setting. */
  get isStuck(): boolean {
    const { clock } = this.#options;
    return this.#heldAtMs !== undefined && clock.monotonic() - this.#heldAtMs > holdMs;
  }

  /** Resets the state for a standby. Its server is configured with the replicas that it would use as a primary. */
  reset(): void {
    this.#state = undefined;
    this.#connected = [];
    this.#heldAtMs = undefined;
  }

  /** Publishes the quorum of a server before it becomes a primary. Returns false if the cluster has changed in the meantime. */
  async prepare(signal: AbortSignal): Promise<boolean> {
    this.reset();
    const wanted = this.#wanted;
    if (!this.#isRequired) return true;
    const next = quorumOf(wanted);
    const published = this.#published;
    const isPublished = published.some((each) => isSame(each, next));
    if (!isPublished && !(await this.#publish(withQuorum(published, next), signal))) return false;
    this.#state = { applied: wanted };
    return true;
  }

  /** Takes the next step towards the desired quorum, on a primary. */
  async advance(replication: LocalStatus, signal: AbortSignal): Promise<void> {
    this.#connected = replication.replicas.filter(({ state }) => state === 'streaming').map(({ name }) => name);
    const wanted = this.#wanted;
    if (!this.#isRequired) {
      if (this.#published.length === 0 || (await this.#publish([], signal))) this.#enter(undefined);
      return;
    }
    const state = this.#state ?? { applied: wanted };
    const step = quorumStep(state, { wanted, published: this.#published, replication });
    if (step.publish === undefined || (await this.#publish(step.publish, signal))) this.#enter(step.state);
  }

  #enter(state: QuorumState | undefined): void {
    const isHolding = state !== undefined && state.applied.names.length === 0;
    this.#heldAtMs = isHolding ? (this.#heldAtMs ?? this.#options.clock.monotonic()) : undefined;
    this.#state = state;
  }

  get #isRequired(): boolean {
    const { synchronous = 0, durability = 'required' } = this.#options.access.cluster?.spec.replication ?? {};
    return synchronous > 0 && durability === 'required';
  }

  get #published(): readonly FailoverQuorum[] {
    return this.#options.access.cluster?.status?.failoverQuorums ?? [];
  }

  get #wanted(): SynchronousStandbys {
    const { access, name } = this.#options;
    return synchronousStandbys(access.cluster?.spec.replication, {
      others: access.othersOf(name),
      connected: this.#connected,
      earlier: this.#published.at(-1)?.standbyNames ?? [],
    });
  }

  async #publish(failoverQuorums: readonly FailoverQuorum[], signal: AbortSignal): Promise<boolean> {
    const { access, name, log } = this.#options;
    // Once another primary is being chosen, the published quorums must not change.
    if (access.cluster?.status?.targetPrimary !== name) return false;
    if (failoverQuorums.length > maxQuorums) {
      log.warn('too many quorums are in use; waiting for replicas to receive WAL', { quorums: failoverQuorums.length });
      return false;
    }
    const isPublished = await access.publishQuorums(failoverQuorums, signal);
    if (isPublished) log.info('published the commit quorums', { failoverQuorums });
    return isPublished;
  }
}
