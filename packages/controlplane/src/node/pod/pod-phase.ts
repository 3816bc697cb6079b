import type { ContainerStatus, Pod } from '@kubewright/apimachinery/core/v1';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/** Input for a pod's phase. */
export interface PhaseInput {
  readonly pod: Pod;
  readonly initialized: boolean;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** True if nothing will run again: the pod is being removed, or its main containers have ended for good. */
  readonly ended: boolean;
}

/** Computes a pod's phase from its containers. Mirrors the kubelet's `getPhase` (1.36). */
export function podPhase(input: PhaseInput): PodPhase {
  const { pod, statuses, initStatuses, ended } = input;
  const initFailed = initStatuses.some(({ state }) => (state?.terminated?.exitCode ?? 0) !== 0);
  if (ended) {
    if (initFailed && !input.initialized) return 'Failed';
    const all = statuses.every(({ state }) => state?.terminated?.exitCode === 0);
    return all ? 'Succeeded' : 'Failed';
  }
  if (!input.initialized) return 'Pending';
  const isWaiting = ({ state, lastState }: ContainerStatus): boolean =>
    state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined;
  if (statuses.some(isWaiting)) return 'Pending';
  return pod.spec ? 'Running' : 'Pending';
}
