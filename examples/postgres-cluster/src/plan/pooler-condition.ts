import type { ConditionUpdate } from '@kubewright/apimachinery';

/** The state that determines a pooler's `Ready` condition. */
export interface ObservedPooler {
  /** Reason why the pooler's objects could not be updated. */
  readonly obstacle?: { readonly reason: string; readonly message: string } | undefined;
  readonly instances: number;
  readonly ready: number;
  /** True while pods of an earlier template exist, or the number of pods is changing. */
  readonly isRollingOut: boolean;
  /** Messages of failed containers. */
  readonly failures: readonly string[];
  readonly isPaused: boolean;
}

/** Returns a pooler's `Ready` condition. */
export function poolerCondition(pooler: ObservedPooler): ConditionUpdate {
  const { obstacle, instances, ready, isRollingOut, failures, isPaused } = pooler;
  const type = 'Ready';
  if (obstacle) return { type, status: 'False', ...obstacle };
  const [failure] = failures;
  if (failure !== undefined && (isRollingOut || ready < instances))
    return { type, status: 'False', reason: 'PodFails', message: failure };
  if (ready < instances)
    return { type, status: 'False', reason: 'PodsNotReady', message: `${ready} of ${instances} pods are ready` };
  if (isPaused)
    return { type, status: 'True', reason: 'Paused', message: 'clients wait until you set spec.paused to false' };
  return { type, status: 'True', reason: 'PodsReady' };
}
