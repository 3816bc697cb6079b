import type { Clock, Timer } from '@kubewright/apimachinery';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { ClusterEvent, PodEvent } from '../framework/cluster-event.ts';
import type { ClusterView } from '../framework/cluster-view.ts';
import { backoffEnd, backoffLeft, isBackingOff } from './backoff.ts';
import { type EventHints, helps } from './event-hints.ts';
import { Nominator } from './nominator.ts';
import { PodHeap } from './pod-heap.ts';
import { comesFirst, type QueuedPod } from './queued-pod.ts';
import { WaitingPods } from './waiting-pods.ts';

/** Keeps a pod out of the queue while `holds` returns true for it. */
export interface QueueGate {
  /** The name of the plugin whose event hints trigger another check of the gate. */
  readonly name: string;
  readonly holds: (pod: PendingPod) => boolean;
}

/** Options for {@link SchedulingQueue}. */
export interface SchedulingQueueOptions {
  readonly clock: Clock;
  readonly view: ClusterView;
  readonly hints: EventHints;
  readonly gates: readonly QueueGate[];
  /** Called when a pod can be popped. */
  readonly onReady: () => void;
}

/** Maximum time that a pod waits without a helpful event before it is retried, in milliseconds. */
const maxWaitingMs = 300_000;
const flushMs = 30_000;

/**
 * The pods that wait for a node. Ready pods are popped in order of priority. Pods whose attempt failed with an error back off,
 * and pods that fit no node wait for an event that may help. If no other pod is ready, unschedulable pods in backoff are popped
 * early.
 */
export class SchedulingQueue implements Disposable {
  readonly nominator: Nominator = new Nominator();
  readonly #options: SchedulingQueueOptions;
  readonly #all = new Map<string, QueuedPod>();
  readonly #active = new PodHeap<QueuedPod>(comesFirst);
  readonly #backoff = new PodHeap<QueuedPod>(endsFirst);
  /** Pods in backoff after an error, which is never cut short. */
  readonly #errorBackoff = new PodHeap<QueuedPod>(endsFirst);
  readonly #waiting = new WaitingPods();
  #order = 0;
  #backoffTimer: { readonly atMs: number; readonly timer: Timer } | undefined;
  #flushTimer: Timer | undefined;

  constructor(options: SchedulingQueueOptions) {
    this.#options = options;
  }

  /** Number of pods that can be popped. */
  get ready(): number {
    return this.#active.size + this.#backoff.size;
  }

  /** True if any pod waits for an event. */
  get hasWaiting(): boolean {
    return this.#waiting.size > 0;
  }

  /** Adds a pod, or updates it to its new version. */
  put(pod: PendingPod): void {
    const queued = this.#all.get(pod.uid);
    if (!queued) {
      this.#activate(this.#enter(pod), { nominate: true });
      return;
    }
    const old = queued.pod;
    queued.pod = pod;
    this.nominator.update(old, pod);
    if (!this.#waiting.has(queued)) {
      for (const heap of [this.#active, this.#backoff, this.#errorBackoff]) heap.moved(queued);
      return;
    }
    for (const event of ownEvents(old, pod)) if (this.#reconsider(queued, event)) break;
  }

  delete(uid: string): void {
    this.nominator.delete(uid);
    const queued = this.#all.get(uid);
    if (queued) this.#remove(queued);
  }

  /** Takes the next pod out of the queue. */
  pop(): QueuedPod | undefined {
    const queued = this.#active.pop() ?? this.#backoff.pop();
    if (queued) this.#all.delete(queued.pod.uid);
    return queued;
  }

  /** Puts a pod back after a failed attempt. It waits for an event that may help, or backs off if no plugin rejected it. */
  retry(queued: QueuedPod, why: { readonly pod: PendingPod; readonly rejectors: ReadonlySet<string> }): void {
    if (this.#all.has(why.pod.uid)) return;
    queued.pod = why.pod;
    queued.rejectors = why.rejectors;
    queued.gate = undefined;
    if (why.rejectors.size === 0) queued.errors++;
    else {
      queued.unschedulable++;
      queued.errors = 0;
    }
    queued.sinceMs = this.#options.clock.now();
    queued.order = this.#order++;
    queued.backoffEndMs = undefined;
    this.#all.set(queued.pod.uid, queued);
    if (why.rejectors.size === 0) this.#requeue(queued);
    else this.#wait(queued);
  }

  /** Moves the waiting pods that an event may help back to the queue. */
  move(event: ClusterEvent, applies: (pod: PendingPod) => boolean = () => true): void {
    if (this.#waiting.size === 0) return;
    for (const hint of this.#options.hints.for(event)) {
      for (const queued of this.#waiting.rejectedBy(hint.plugin)) {
        if (!applies(queued.pod) || !this.#passesGate(queued, event)) continue;
        if (!helps(hint, { pod: queued.pod, event, view: this.#options.view })) continue;
        this.#waiting.delete(queued);
        this.#requeue(queued);
      }
    }
  }

  /** Moves a waiting pod to the ready pods now, without an event and without further backoff. */
  activate(uid: string): void {
    const queued = this.#all.get(uid);
    if (!queued || this.#active.has(queued)) return;
    this.#waiting.delete(queued);
    this.#backoff.delete(queued);
    this.#errorBackoff.delete(queued);
    this.#activate(queued, { nominate: false });
  }

  [Symbol.dispose](): void {
    this.#backoffTimer?.timer[Symbol.dispose]();
    this.#flushTimer?.[Symbol.dispose]();
    this.#all.clear();
  }

  #enter(pod: PendingPod): QueuedPod {
    const queued: QueuedPod = {
      pod,
      sinceMs: this.#options.clock.now(),
      order: this.#order++,
      unschedulable: 0,
      errors: 0,
      backoffEndMs: undefined,
      rejectors: new Set(),
      gate: undefined,
    };
    this.#all.set(pod.uid, queued);
    return queued;
  }

  #remove(queued: QueuedPod): void {
    this.#all.delete(queued.pod.uid);
    this.#active.delete(queued);
    this.#backoff.delete(queued);
    this.#errorBackoff.delete(queued);
    this.#waiting.delete(queued);
  }

  /** Moves a waiting pod back to the queue if its own change may help. Returns true if the pod no longer waits. */
  #reconsider(queued: QueuedPod, event: PodEvent): boolean {
    if (!this.#passesGate(queued, event)) return false;
    const { view, hints } = this.#options;
    const interested = hints.for(event).filter(({ plugin }) => queued.rejectors.has(plugin));
    if (!interested.some((hint) => helps(hint, { pod: queued.pod, event, view }))) return false;
    this.#waiting.delete(queued);
    this.#requeue(queued);
    return true;
  }

  /** Returns true if no gate holds the pod, or if the event may open the gate. */
  #passesGate({ gate }: QueuedPod, event: ClusterEvent): boolean {
    return gate === undefined || this.#options.hints.for(event).some(({ plugin }) => plugin === gate);
  }

  #requeue(queued: QueuedPod): void {
    if (!isBackingOff(queued, this.#options.clock.now())) {
      this.#activate(queued, { nominate: false });
      return;
    }
    if (this.#gated(queued)) return;
    if (queued.rejectors.size === 0) this.#errorBackoff.add(queued);
    else {
      this.#backoff.add(queued);
      this.#options.onReady();
    }
    this.#armBackoff();
  }

  #activate(queued: QueuedPod, { nominate }: { readonly nominate: boolean }): void {
    if (this.#gated(queued)) return;
    this.#active.add(queued);
    if (nominate) this.nominator.nominate(queued.pod, queued.pod.nominatedNodeName);
    this.#options.onReady();
  }

  /** Returns true if a gate holds the pod. The pod is then added to the waiting pods. */
  #gated(queued: QueuedPod): boolean {
    const gate = this.#options.gates.find(({ holds }) => holds(queued.pod));
    queued.gate = gate?.name;
    if (!gate) return false;
    this.#waiting.delete(queued);
    queued.rejectors = new Set([...queued.rejectors, gate.name]);
    this.#wait(queued);
    return true;
  }

  #wait(queued: QueuedPod): void {
    this.#waiting.add(queued);
    this.#flushTimer ??= this.#options.clock.setTimer(flushMs, () => this.#flush(), { unref: true });
  }

  /** Retries the pods that have waited too long without a helpful event. */
  #flush(): void {
    this.#flushTimer = undefined;
    const latest = this.#options.clock.now() - maxWaitingMs;
    for (const queued of this.#waiting.waitingSince(latest)) {
      if (queued.gate !== undefined) continue;
      this.#waiting.delete(queued);
      this.#requeue(queued);
    }
    if (this.#waiting.size > 0 && this.#flushTimer === undefined) {
      this.#flushTimer = this.#options.clock.setTimer(flushMs, () => this.#flush(), { unref: true });
    }
  }

  #armBackoff(): void {
    const { clock } = this.#options;
    const now = clock.now();
    const heads = [this.#backoff.first, this.#errorBackoff.first].filter((queued) => queued !== undefined);
    if (heads.length === 0) return;
    const delayMs = Math.min(...heads.map((queued) => backoffLeft(queued, now)));
    if (this.#backoffTimer && this.#backoffTimer.atMs <= now + delayMs) return;
    this.#backoffTimer?.timer[Symbol.dispose]();
    const timer = clock.setTimer(delayMs, () => this.#endBackoffs(), { unref: true });
    this.#backoffTimer = { atMs: now + delayMs, timer };
  }

  #endBackoffs(): void {
    this.#backoffTimer = undefined;
    const now = this.#options.clock.now();
    for (const heap of [this.#backoff, this.#errorBackoff]) {
      for (let queued = heap.first; queued && !isBackingOff(queued, now); queued = heap.first) {
        heap.pop();
        this.#active.add(queued);
        this.#options.onReady();
      }
    }
    this.#armBackoff();
  }
}

function endsFirst(a: QueuedPod, b: QueuedPod): boolean {
  const [left, right] = [backoffEnd(a), backoffEnd(b)];
  return left === right ? comesFirst(a, b) : left < right;
}

/** Returns the events for a change to a pending pod, which can itself make the pod schedulable. */
function ownEvents(old: PendingPod, now: PendingPod): readonly PodEvent[] {
  const events: PodEvent[] = [];
  const add = (action: PodEvent['action']): void => void events.push({ resource: 'Pod', action, old, now });
  if (!sameLabels(old.labels, now.labels)) add('UpdateLabel');
  if (isSmaller(old, now)) add('UpdateScaleDown');
  const gates = ({ pod }: PendingPod): number => pod.spec?.schedulingGates?.length ?? 0;
  if (gates(now) === 0 && gates(old) > 0) add('UpdateGatesEliminated');
  const tolerations = ({ pod }: PendingPod): number => pod.spec?.tolerations?.length ?? 0;
  if (tolerations(now) !== tolerations(old)) add('UpdateToleration');
  return events;
}

/** True if two sets of labels are equal. */
export function sameLabels(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/** True if a pod requests less of any resource than before. */
export function isSmaller(
  { requests: old }: Pick<PendingPod, 'requests'>,
  { requests: now }: Pick<PendingPod, 'requests'>,
): boolean {
  if (now.milliCpu < old.milliCpu || now.memory < old.memory || now.ephemeralStorage < old.ephemeralStorage)
    return true;
  for (const [name, amount] of old.scalars) if ((now.scalars.get(name) ?? 0) < amount) return true;
  return false;
}
