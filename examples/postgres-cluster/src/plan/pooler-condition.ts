import type { ConditionUpdate } from '@kubewright/apimachinery';

/** The state that determines the condition of a pooler. */
export interface ObservedPooler {
  /** Why its objects could not be brought up to date. */
  readonly obstacle?: { readonly reason: string; readonly message: string } | undefined;
  readonly instances: number;
  readonly ready: number;
  /** True while pods of an earlier template exist, or their number changes. */
  readonly isRollingOut: boolean;
  /** Messages of containers that have failed. */
  readonly failures: readonly string[];
  readonly isPaused: boolean;
}

/** Returns the condition `Ready` of a pooler. */
export function poolerCondition(pooler: ObservedPooler): ConditionUpdate {
  const { obstacle, instances, ready, isRollingOut, failures, isPaused } = pooler;
  const type = 'Ready';
  if (obstacle) return { type, status: 'False', ...obstacle };
  const [failure] = failures;
  if (failure !== undefined && (isRollingOut || ready < instances))
    return { type, status: 'False', reason: 'PodFails', message: failure };
  if (ready < instances)
    return { type, status: 'False', reason: 'PodsNotReady', message: `${ready} of ${instances} pods are ready` };
  if (isPaused) return { type, status: 'True', reason: 'Paused', message: 'clients wait until paused is false' };
  return { type, status: 'True', reason: 'PodsReady' };
}
