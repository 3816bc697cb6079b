import type { ContainerStateTerminated, Pod } from '@kubewright/apimachinery/core/v1';
import type { ContainerSlot } from './container-slot.ts';
import { shouldRestart } from './restart-rule.ts';

/** Actions to take on a pod's containers. */
export interface ContainerPlan {
  /** Containers to start: first starts, and restarts whose backoff has expired. */
  readonly start: readonly ContainerSlot[];
  /** Containers to start once their backoff has expired. */
  readonly pausing: readonly { readonly slot: ContainerSlot; readonly untilMs: number }[];
  /** True if all init containers have succeeded and all sidecars have started. */
  readonly initialized: boolean;
  /** True if every main container, or a failed init container, has ended for good. */
  readonly finished: boolean;
}

/**
 * Decides from the observed states which containers to start: init containers one at a time in order (a sidecar has to be started
 * before the next container), then the main containers together. Pure. Mirrors the kubelet's `computePodActions` (1.36).
 */
export function planContainers(pod: Pod, slots: readonly ContainerSlot[], nowMs: number): ContainerPlan {
  const planner = new Planner(pod, nowMs);
  const mainSlots = slots.filter(({ role }) => role === 'main');
  // Ephemeral containers do not wait for other containers: they are used to debug pods that make no progress.
  for (const slot of slots) if (slot.role === 'ephemeral') planner.consider(slot);
  const mainsHaveRun = mainSlots.some(({ state, last }) => state.type === 'running' || state.type === 'exited' || last);
  for (const slot of slots) {
    if (slot.role === 'main') break;
    if (slot.role === 'sidecar') planner.consider(slot);
    // Regular init containers are not rerun once main containers have run.
    else if (!mainsHaveRun && !hasSucceeded(slot)) planner.consider(slot);
    if (planner.failed) return planner.result({ initialized: false, finished: true });
    const past = slot.role === 'sidecar' ? slot.started || mainsHaveRun : mainsHaveRun || hasSucceeded(slot);
    if (!past) return planner.result({ initialized: false, finished: false });
  }
  const beforeMains = planner.mark();
  for (const slot of mainSlots) planner.consider(slot);
  const finished = mainSlots.every(({ state }) => state.type === 'exited') && planner.mark() === beforeMains;
  if (finished) return { start: [], pausing: [], initialized: true, finished };
  return planner.result({ initialized: true, finished });
}

function hasSucceeded({ state }: ContainerSlot): boolean {
  return state.type === 'exited' && state.terminated.exitCode === 0;
}

class Planner {
  failed = false;
  readonly #pod: Pod;
  readonly #nowMs: number;
  readonly #start: ContainerSlot[] = [];
  readonly #pausing: { slot: ContainerSlot; untilMs: number }[] = [];

  constructor(pod: Pod, nowMs: number) {
    this.#pod = pod;
    this.#nowMs = nowMs;
  }

  /** Returns the number of containers to start now or after a backoff. */
  mark(): number {
    return this.#start.length + this.#pausing.length;
  }

  consider(slot: ContainerSlot): void {
    const { state } = slot;
    if (slot.busy || state.type === 'running' || state.type === 'starting') return;
    if (state.type === 'waiting') {
      this.#at(slot, slot.retryAtMs ?? this.#nowMs);
      return;
    }
    if (this.#restarts(slot, state.terminated)) this.#at(slot, slot.restarts.retryAt(state.atMs));
    else if (slot.role === 'init') this.failed = true;
  }

  result(rest: { readonly initialized: boolean; readonly finished: boolean }): ContainerPlan {
    return { start: this.#start, pausing: this.#pausing, ...rest };
  }

  #restarts(slot: ContainerSlot, terminated: ContainerStateTerminated): boolean {
    return shouldRestart(this.#pod, slot, terminated);
  }

  #at(slot: ContainerSlot, atMs: number): void {
    if (atMs <= this.#nowMs) this.#start.push(slot);
    else this.#pausing.push({ slot, untilMs: atMs });
  }
}
