import type { ContainerStateTerminated, Pod } from '@kubewright/apimachinery/core/v1';
import type { ContainerSlot } from './container-slot.ts';
import { shouldRestart } from './restart-rule.ts';

/** What is to be done for a pod's containers now. */
export interface ContainerPlan {
  /** May run: first starts and restarts whose pause is over. */
  readonly start: readonly ContainerSlot[];
  /** Would be started, were it not for their pauses. */
  readonly pausing: readonly { readonly slot: ContainerSlot; readonly untilMs: number }[];
  /** All init containers have succeeded and all sidecars have started. */
  readonly initialized: boolean;
  /** Every main container (or a failed init container) has ended for good. */
  readonly finished: boolean;
}

/**
 * Decides which containers start, from what was observed: init containers one by one in order, each sidecar before what
 * comes after it, then the main containers together. Pure. Mirrors the kubelet's `computePodActions` (1.36).
 */
export function planContainers(pod: Pod, slots: readonly ContainerSlot[], nowMs: number): ContainerPlan {
  const planner = new Planner(pod, nowMs);
  const mainSlots = slots.filter(({ role }) => role === 'main');
  // They wait for nobody: a pod is looked at just when it does not get on.
  for (const slot of slots) if (slot.role === 'ephemeral') planner.consider(slot);
  const mainsHaveRun = mainSlots.some(({ state, last }) => state.type === 'running' || state.type === 'exited' || last);
  for (const slot of slots) {
    if (slot.role === 'main') break;
    if (slot.role === 'sidecar') planner.consider(slot);
    // Regular init containers are not run again once main containers have run.
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

  /** How many containers are to run. */
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
