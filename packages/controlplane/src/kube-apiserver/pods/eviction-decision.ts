import { forbidden, type KubernetesObject, type LabelSelectorObject, StatusError } from '@kubewright/apimachinery';
import { defined } from '@kubewright/apimachinery/internal';
import type { ReachedPod } from './pod-container.ts';

/** The fields of a PodDisruptionBudget that decide whether it allows an eviction. */
export interface DisruptionBudget extends KubernetesObject {
  readonly spec?: {
    readonly selector?: LabelSelectorObject;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: DisruptionBudgetStatus;
}

interface DisruptionBudgetStatus {
  readonly observedGeneration?: number;
  readonly disruptionsAllowed?: number;
  readonly desiredHealthy?: number;
  readonly currentHealthy?: number;
  readonly disruptedPods?: Readonly<Record<string, string>>;
  readonly conditions?: readonly BudgetCondition[];
}

interface BudgetCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

/** The decision about an eviction under a budget. */
export type EvictionDecision =
  /** The pod is not healthy, so it may be evicted without using up the budget. */
  | { readonly type: 'unhealthy' }
  /** The pod may be evicted after this status has been written to the budget. */
  | { readonly type: 'spend'; readonly status: DisruptionBudgetStatus }
  | { readonly type: 'rejected'; readonly error: StatusError };

/** The number of unconfirmed evictions above which further evictions are rejected. */
const maxDisruptedPods = 2_000;

/** True if a pod may be evicted regardless of budgets: it has ended, is being deleted, or has not started. */
export function needsNoBudget({ status, metadata }: ReachedPod): boolean {
  return hasEnded(status?.phase) || status?.phase === 'Pending' || metadata.deletionTimestamp !== undefined;
}

/**
 * True if an eviction that needs no budget must fail when the pod has changed in the meantime: a pending pod may have
 * become ready.
 */
export function needsRevision({ status, metadata }: ReachedPod): boolean {
  return !hasEnded(status?.phase) && metadata.deletionTimestamp === undefined;
}

function hasEnded(phase: string | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed';
}

/** Decides whether a budget allows a pod's eviction. Mirrors `EvictionREST.Create` and `checkAndDecrement` (1.36). */
export function decideEviction(input: {
  readonly pod: ReachedPod;
  readonly budget: DisruptionBudget;
  /** The current time, in the API's format. */
  readonly now: string;
}): EvictionDecision {
  const { pod, budget, now } = input;
  const { name = '', generation = 0 } = budget.metadata;
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    desiredHealthy = 0,
    currentHealthy = 0,
  } = budget.status ?? {};
  if (!isReady(pod)) {
    if (budget.spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return { type: 'unhealthy' };
    if (currentHealthy >= desiredHealthy && desiredHealthy > 0) return { type: 'unhealthy' };
  }
  const resource = { group: 'policy', resource: 'poddisruptionbudget' };
  const disruptedPods = budget.status?.disruptedPods ?? {};
  if (observedGeneration < generation) return { type: 'rejected', error: stillProcessed(name) };
  if (disruptionsAllowed < 0)
    return { type: 'rejected', error: forbidden(resource, name, 'pdb disruptions allowed is negative') };
  if (Object.keys(disruptedPods).length > maxDisruptedPods) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    return { type: 'rejected', error: forbidden(resource, name, why) };
  }
  if (disruptionsAllowed === 0) return { type: 'rejected', error: rejected(whyNone(budget)) };
  const left = disruptionsAllowed - 1;
  const status = {
    ...budget.status,
    disruptionsAllowed: left,
    disruptedPods: { ...disruptedPods, [pod.metadata.name ?? '']: now },
    ...(left === 0 && { conditions: withNoneLeft(budget.status, now) }),
  };
  return { type: 'spend', status };
}

/** Returns the error for a budget whose status is not up to date. */
export function stillProcessed(name: string): StatusError {
  return rejected(`The disruption budget ${name} is still being processed by the server.`, 10);
}

function isReady({ status }: ReachedPod): boolean {
  // `status` has the fields of a core/v1 PodStatus.
  const { conditions = [] } = (status ?? {}) as { readonly conditions?: readonly BudgetCondition[] };
  return conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
}

function whyNone({ metadata: { name }, status }: DisruptionBudget): string {
  const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = status ?? {};
  const { reason, message } =
    conditions.find((one) => one.type === 'DisruptionAllowed' && one.status === 'False' && one.message) ?? {};
  const denied = `The disruption budget ${name} does not allow evicting pods currently`;
  if (reason === 'SyncFailed') return `${denied} because it failed sync: ${message}`;
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  return message ? `${denied} (${reason}): ${message}` : denied;
}

/** Returns the conditions of a budget after its last allowed disruption. */
function withNoneLeft(status: DisruptionBudgetStatus | undefined, now: string): readonly BudgetCondition[] {
  const { conditions = [], observedGeneration } = status ?? {};
  const old = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const next: BudgetCondition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? now) : now,
    ...defined({ observedGeneration }),
  };
  return old ? conditions.map((one) => (one === old ? next : one)) : [...conditions, next];
}

function rejected(message: string, retryAfterSeconds?: number): StatusError {
  return new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    reason: 'TooManyRequests',
    details: {
      ...defined({ retryAfterSeconds }),
      causes: [{ reason: 'DisruptionBudget', message }],
    },
    code: 429,
  });
}
