import type { ContainerStatus, Pod, PodCondition } from '@kubewright/apimachinery/core/v1';
import { defined, formatTime } from '@kubewright/apimachinery/internal';

/** Input for a pod's conditions. */
export interface ConditionInput {
  readonly pod: Pod;
  readonly phase: string;
  readonly initialized: boolean;
  readonly hasSandbox: boolean;
  readonly initStatuses: readonly ContainerStatus[];
  readonly statuses: readonly ContainerStatus[];
  /** Names of sidecars, which count for readiness. */
  readonly sidecars: ReadonlySet<string>;
  readonly nowMs: number;
  /** The reason why the node evicts the pod to reclaim resources. */
  readonly evicted?: string | undefined;
}

/** The part of a condition that depends on the pod's state. */
interface Outcome {
  readonly status: 'True' | 'False';
  readonly reason?: string;
  readonly message?: string;
}

/** Returns the conditions that a kubelet owns, in the kubelet's order, without conditions set by other components. */
export function podConditions(input: ConditionInput, before: readonly PodCondition[]): readonly PodCondition[] {
  const { pod, phase } = input;
  const containers = containersReady(input);
  const outcomes: readonly (readonly [string, Outcome])[] = [
    ['PodReadyToStartContainers', { status: input.hasSandbox ? 'True' : 'False' }],
    ['Initialized', initialized(input)],
    ['Ready', ready(pod, containers, phase)],
    ['ContainersReady', containers],
    ['PodScheduled', { status: 'True' }],
    ...evictions(input),
  ];
  return outcomes.map(([type, outcome]) => {
    const old = before.find((condition) => condition.type === type);
    const since = old?.status === outcome.status ? old.lastTransitionTime : undefined;
    return {
      type,
      ...defined({ observedGeneration: pod.metadata.generation }),
      ...outcome,
      lastTransitionTime: since ?? formatTime(input.nowMs),
    };
  });
}

function evictions({ evicted }: ConditionInput): readonly (readonly [string, Outcome])[] {
  if (evicted === undefined) return [];
  return [['DisruptionTarget', { status: 'True', reason: 'TerminationByKubelet', message: evicted }]];
}

function initialized({ pod, phase, initialized: done, initStatuses }: ConditionInput): Outcome {
  if (phase === 'Succeeded') return { status: 'True', reason: 'PodCompleted' };
  if (done) return { status: 'True' };
  const incomplete = (pod.spec?.initContainers ?? [])
    .map(({ name }) => name)
    .filter((name) => {
      const status = initStatuses.find((one) => one.name === name);
      return status?.state?.running !== undefined ? !status.started || !status.ready : !status?.ready;
    });
  return {
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: `containers with incomplete status: [${incomplete.join(' ')}]`,
  };
}

function containersReady({ phase, initStatuses, statuses, sidecars }: ConditionInput): Outcome {
  if (phase === 'Succeeded') return { status: 'False', reason: 'PodCompleted' };
  if (phase === 'Failed') return { status: 'False', reason: 'PodFailed' };
  const counted = [...initStatuses.filter(({ name }) => sidecars.has(name)), ...statuses];
  const unready = counted.filter((status) => !status.ready).map(({ name }) => name);
  if (unready.length === 0) return { status: 'True' };
  return {
    status: 'False',
    reason: 'ContainersNotReady',
    message: `containers with unready status: [${unready.join(' ')}]`,
  };
}

function ready(pod: Pod, containers: Outcome, phase: string): Outcome {
  if (containers.status === 'False') return containers;
  if (phase === 'Succeeded' || phase === 'Failed') return containers;
  const messages = (pod.spec?.readinessGates ?? []).flatMap(({ conditionType }) => {
    const found = pod.status?.conditions?.find(({ type }) => type === conditionType);
    if (!found) return [`corresponding condition of pod readiness gate "${conditionType}" does not exist.`];
    return found.status === 'True'
      ? []
      : [`the status of pod readiness gate "${conditionType}" is not "True", but ${found.status}`];
  });
  if (messages.length === 0) return { status: 'True' };
  return { status: 'False', reason: 'ReadinessGatesNotReady', message: messages.join(', ') };
}
