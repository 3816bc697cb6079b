import type { Clock, Timer } from '@kubewright/apimachinery';
import type { RequestContext } from '@kubewright/runtime';
import type { CachedObjects } from '../cached-objects.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { SchedulerCache } from '../cluster/scheduler-cache.ts';
import { SchedulingError } from '../scheduling-error.ts';
import { isBound, type VolumeReservation } from './volume-binder.ts';

/** The maximum time to wait for the volumes of a pod, in milliseconds. */
const maxWaitMs = 600_000;

/** Called when a wait ends: with `bound`, or with the error if the volumes cannot be bound. */
export type WaitEnd = (outcome: 'bound' | Error, ctx: RequestContext) => Promise<void>;

interface Wait {
  readonly pod: PendingPod;
  readonly reservation: VolumeReservation;
  readonly end: WaitEnd;
  readonly timer: Timer;
}

/** Options for {@link VolumeWaits}. */
export interface VolumeWaitsOptions {
  readonly clock: Clock;
  readonly cache: SchedulerCache;
  readonly objects: CachedObjects;
  /** Runs a function on one of the controller's workers. */
  readonly run: (work: (ctx: RequestContext) => Promise<void>) => void;
}

/** The pods that have a node and wait for their volumes. A waiting pod does not occupy a worker. */
export class VolumeWaits implements Disposable {
  readonly #options: VolumeWaitsOptions;
  /** The waits, by uid of the pod. */
  readonly #waits = new Map<string, Wait>();

  constructor(options: VolumeWaitsOptions) {
    this.#options = options;
  }

  /** Waits until the volumes of a pod are bound, then calls `end`. */
  add(pod: PendingPod, reservation: VolumeReservation, end: WaitEnd): void {
    const timeout = (): void =>
      this.#finish(wait, new SchedulingError({ what: 'binding volumes: context deadline exceeded' }));
    const timer = this.#options.clock.setTimer(maxWaitMs, timeout, { unref: true });
    const wait: Wait = { pod, reservation, end, timer };
    this.#waits.set(pod.uid, wait);
    this.#check(wait);
  }

  /** Checks the volumes of all waiting pods again. Call it when a claim or volume changed, or a node was deleted. */
  changed(): void {
    for (const wait of this.#waits.values()) this.#check(wait);
  }

  /** Cancels the wait of a pod, which then returns to the queue. Returns false if the pod is not waiting. */
  cancel(uid: string, why: string): boolean {
    const wait = this.#waits.get(uid);
    if (wait) this.#finish(wait, new SchedulingError({ what: why }));
    return wait !== undefined;
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#waits.values()) timer[Symbol.dispose]();
    this.#waits.clear();
  }

  #check(wait: Wait): void {
    const { cache, objects } = this.#options;
    const { pod, reservation } = wait;
    try {
      if (!cache.isAssumed(pod.uid))
        // prose-ok: kube-scheduler's message
        throw new SchedulingError({ what: `pod does not exist any more: pod "${pod.name}" not found` });
      const bound = isBound(reservation, {
        node: cache.node(reservation.nodeName),
        volume: (name) => objects.observedVolume(name),
        claim: ({ metadata: { namespace, name } }) => objects.observedClaim({ namespace, name }),
      });
      if (bound) this.#finish(wait, 'bound');
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      this.#finish(wait, new SchedulingError({ what: `binding volumes: ${cause}` }));
    }
  }

  #finish(wait: Wait, outcome: 'bound' | Error): void {
    if (this.#waits.get(wait.pod.uid) !== wait) return;
    this.#waits.delete(wait.pod.uid);
    wait.timer[Symbol.dispose]();
    this.#options.run((ctx) => wait.end(outcome, ctx));
  }
}
