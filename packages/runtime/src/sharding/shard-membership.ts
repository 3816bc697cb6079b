import { type Clock, formatObjectKey, type Random, systemClock, systemRandom } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { KeyShare, Partition, PartitionEntry } from '../controller/definition/partition.ts';
import { instantOf, LeaseTerm } from '../fencing/lease-term.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import { withTimeout } from '../leader-election/with-timeout.ts';
import { defaultLogger } from '../log/default-logger.ts';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { OnceLogger } from '../log/once-logger.ts';
import type { Runnable } from '../runnable/runnable.ts';
import { DelayedHandovers } from './delayed-handovers.ts';
import { MemberLease } from './member-lease.ts';
import { Members } from './members.ts';
import { ownerOf } from './rendezvous.ts';
import { RunningKeys } from './running-keys.ts';
import { claims, gives, nothing, sameView, type View } from './view.ts';

/** Maximum size of the held keys in a lease, in characters of JSON; all annotations together may take 256 KiB. */
const maxHeldLength = 200_000;

/** Options for {@link ShardMembership}. */
export interface ShardMembershipOptions {
  /** Name of the group of replicas that share the work, and the prefix of their leases' names. */
  readonly id: string;
  /** Returns the client once it exists, such as `() => manager.unfencedClient`. */
  readonly client: () => KubernetesClient;
  /** Namespace of the leases. @defaultValue the client's default namespace */
  readonly namespace?: string;
  /** @defaultValue 15 */
  readonly leaseDurationSeconds?: number;
  /** @defaultValue 10 */
  readonly renewDeadlineSeconds?: number;
  /** @defaultValue 2 */
  readonly retryPeriodSeconds?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly log?: Logger;
}

/**
 * This replica's membership in a group that shares the keys of its controllers. Each key is worked on by one replica at a time, and
 * is reassigned soon after a replica joins or leaves.
 *
 * Every replica has its own Lease, which lists the members that share the keys: its view. A replica owns a key if its
 * own view assigns the key to it and no view of another living member assigns the key to that member. A replica writes
 * its view, then reads the other leases, and only then acts on its view, so at least one of two replicas sees the
 * other. Before a new view is written, the keys that it gives away are released. Keys with running reconciles are
 * listed in the view as held, so that no other replica takes them: a hanging reconcile delays only its own key. Like a
 * leader's term, a membership ends as soon as either clock passes the deadline, and every write checks the membership
 * in the tick in which the connection receives the bytes.
 *
 * @example
 * ```ts
 * const shards = new ShardMembership({ id: 'databases', client: () => manager.unfencedClient });
 * const manager = new Manager({ controllers: [sharded(databases, shards)], runnables: [shards] });
 * ```
 */
export class ShardMembership implements Runnable, Partition {
  readonly name = 'sharding';
  readonly needLeaderElection = false;
  /** Name of this replica's Lease; different for every start of the process. */
  readonly identity: string;
  readonly #options: ShardMembershipOptions;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #times: { readonly renewMs: number; readonly retryMs: number; readonly driftMs: number };
  readonly #members: Members;
  readonly #running = new RunningKeys();
  readonly #holdUps: DelayedHandovers;
  readonly #trouble = new OnceLogger();
  readonly #handlers = new Set<(share: KeyShare) => void>();
  #leaseTerm: LeaseTerm | undefined;
  /** Members that should share the keys. */
  #wanted: readonly string[] = [];
  /** Views that the lease may contain: the acknowledged view, followed by unacknowledged views. */
  #written: readonly View[] = [nothing];
  /** The view that was acknowledged when the other leases were last read. */
  #settled: View = nothing;

  /** @throws RangeError unless lease duration > renew deadline > retry period > 0. */
  constructor(options: ShardMembershipOptions) {
    const { leaseDurationSeconds = 15, renewDeadlineSeconds = 10, retryPeriodSeconds = 2 } = options;
    const inOrder = leaseDurationSeconds > renewDeadlineSeconds && renewDeadlineSeconds > retryPeriodSeconds;
    if (!inOrder || retryPeriodSeconds <= 0) {
      throw new RangeError(
        `invalid sharding: lease duration ${leaseDurationSeconds} s, renew deadline ${renewDeadlineSeconds} s, retry period ${retryPeriodSeconds} s; each must be longer than the next`,
      );
    }
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#log = (options.log ?? defaultLogger({ clock: this.#clock })).named('sharding');
    const renewMs = renewDeadlineSeconds * 1000;
    const driftMs = (leaseDurationSeconds * 1000 - renewMs) / 2;
    this.#times = { renewMs, retryMs: retryPeriodSeconds * 1000, driftMs };
    this.#holdUps = new DelayedHandovers({ clock: this.#clock, log: this.#log, limitMs: leaseDurationSeconds * 1000 });
    this.identity = `${options.id}-${(options.random ?? systemRandom).uid()}`;
    this.#members = new Members(this.identity);
  }

  /** Members that this member considers alive, in order of their names. */
  get members(): readonly string[] {
    return this.#members.alive;
  }

  /**
   * Fails if a reconcile has kept its key from the new owner for longer than a lease lasts. Use it in `readyzChecks`:
   * `{ sharding: shards.check }`.
   */
  readonly check = (): void => {
    const { fault } = this.#holdUps;
    if (fault !== undefined) throw new Error(fault);
  };

  owns(request: ReconcileRequest): boolean {
    return this.#holds(formatObjectKey(request));
  }

  enter(request: ReconcileRequest): PartitionEntry {
    const key = formatObjectKey(request);
    const running = this.#running.enter(key);
    const leaseTerm = this.#leaseTerm;
    let ended = false;
    // An abandoned reconcile may still be running when this replica owns its key again.
    const isOwned = (): boolean => !ended && leaseTerm === this.#leaseTerm && this.#holds(key);
    return {
      get isOwned() {
        return isOwned();
      },
      [Symbol.dispose]: () => {
        ended = true;
        running[Symbol.dispose]();
      },
    };
  }

  subscribe(handler: (share: KeyShare) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }

  /** Participates until `signal` is aborted; then releases all keys and deletes its lease. */
  async run(signal: AbortSignal): Promise<void> {
    const { id: group, namespace, leaseDurationSeconds = 15, client } = this.#options;
    const durationSeconds = Math.ceil(leaseDurationSeconds);
    const options = { client: client(), clock: this.#clock, group, name: this.identity, namespace, durationSeconds };
    const lease = new MemberLease(options);
    while (!signal.aborted) {
      if (!this.#leaseTerm?.isValid) this.#startAnew();
      const isDone = await this.#round(lease, signal);
      this.#holdUps.update(this.#leaving);
      if (isDone) await this.#running.change(this.#clock, { ms: this.#times.retryMs, of: this.#leaving, signal });
    }
    this.#wanted = [];
    while (this.#leaving.length > 0 && this.#leaseTerm?.isValid) {
      await this.#running.change(this.#clock, { ms: this.#times.retryMs, of: this.#leaving });
    }
    this.#leaseTerm?.end();
    if (lease.exists) await this.#within(undefined, (limit) => lease.remove(limit));
  }

  #holds(key: string): boolean {
    if (!this.#leaseTerm?.isValid) return false;
    return this.#mayHold(key) && !this.#members.isHeldByAnother(key);
  }

  /**
   * Reports whether every view assigns the key to this replica: the desired view, the views that the lease may contain,
   * and the view that was acknowledged when the other leases were read.
   */
  #mayHold(key: string): boolean {
    const isGiven = (view: View): boolean => gives(view, key, this.identity);
    return ownerOf(this.#wanted, key) === this.identity && isGiven(this.#settled) && this.#written.every(isGiven);
  }

  /** Keys that this replica is giving up but still reconciles. Excludes keys that another replica may already own. */
  get #leaving(): readonly string[] {
    return this.#running.keys.filter(
      (key) =>
        ownerOf(this.#wanted, key) !== this.identity && this.#written.every((view) => claims(view, key, this.identity)),
    );
  }

  /** The view to write. It gives away keys of other members immediately, except keys still being worked on. */
  get #next(): View {
    const held = this.#leaving;
    // Too many held keys for one lease: keep claiming all keys with the old view until some reconciles have ended.
    if (JSON.stringify(held).length > maxHeldLength) return this.#written[0] ?? nothing;
    return { members: this.#wanted, held };
  }

  /** Restarts without keys: other replicas may already own the previous keys. */
  #startAnew(): void {
    this.#leaseTerm = undefined;
    this.#wanted = [];
    this.#settled = nothing;
    this.#written = [nothing, ...this.#written];
    this.#notify();
  }

  /**
   * Notifies handlers of the keys that this replica keeps under the desired members; this replica may lose all other
   * keys.
   */
  #notify(): void {
    const members = this.#wanted;
    const share: KeyShare = (request) => ownerOf(members, formatObjectKey(request)) === this.identity;
    for (const handler of this.#handlers) handler(share);
  }

  /** Renews this member's lease and reads the other leases; returns false if another view must be written now. */
  async #round(lease: MemberLease, signal: AbortSignal): Promise<boolean> {
    const before = this.#signature;
    const since = instantOf(this.#clock);
    const isDone = await this.#within(signal, async (limit) => {
      const view = this.#next;
      if (!this.#written.some((each) => sameView(each, view))) this.#written = [...this.#written, view];
      await lease.write(view, limit);
      this.#written = [view];
      const requestedMs = this.#clock.monotonic();
      const leases = await lease.list(limit);
      this.#members.observe(leases, { requestedMs, seenMs: this.#clock.monotonic() });
      this.#settled = view;
      this.#renew(since);
      this.#wanted = this.#members.alive;
      await this.#sweep(lease, limit);
    });
    if (before !== this.#signature) this.#notify();
    return !isDone || sameView(this.#next, this.#settled);
  }

  #renew(since: ReturnType<typeof instantOf>): void {
    if (this.#leaseTerm) this.#leaseTerm.renew(since);
    else this.#leaseTerm = new LeaseTerm({ clock: this.#clock, since, ...this.#times });
  }

  /** Returns a string that changes whenever this replica may own keys that it did not own before. */
  get #signature(): string {
    return JSON.stringify([this.#leaseTerm?.isValid ?? false, this.#settled, this.#wanted, this.#members.signature]);
  }

  async #sweep(lease: MemberLease, limit: AbortSignal): Promise<void> {
    for (const { name, resourceVersion } of this.#members.forgotten) {
      await lease.removeOther(name, resourceVersion, limit);
    }
  }

  /** Limits work to half of the renew deadline; returns false if the work failed. */
  async #within(signal: AbortSignal | undefined, work: (limit: AbortSignal) => Promise<void>): Promise<boolean> {
    try {
      await withTimeout(work, { clock: this.#clock, ms: this.#times.renewMs / 2, signal });
      this.#trouble.succeeded();
      return true;
    } catch (error) {
      if (!signal?.aborted) {
        this.#trouble.failed(this.#log, "cannot renew this replica's Lease", {
          event: logEvents.membershipFailed,
          lease: this.identity,
          error,
        });
      }
      return false;
    }
  }
}
