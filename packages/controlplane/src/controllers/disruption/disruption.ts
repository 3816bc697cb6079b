import {
  type Clock,
  isConflict,
  isDeleting,
  isNotFound,
  LabelSelector,
  type Stored,
  setCondition,
} from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { defined, sameJson } from '@kubewright/apimachinery/internal';
import { PodDisruptionBudget, type PodDisruptionBudgetStatus } from '@kubewright/apimachinery/policy/v1';
import { controller, enqueueMapped, type ReconcileContext, type ReconcileOutcome, watch } from '@kubewright/runtime';
import type { BuiltInController } from '../built-in-controller.ts';
import { CoreEventRecorder } from '../core-event-recorder.ts';
import { updateStatus } from '../object-writes.ts';
import { isPodReady } from '../pods/pod-state.ts';
import { BudgetSelectors } from './budget-selectors.ts';
import { type ControllerReference, type Expectation, expectationOf, UnknownScaleError } from './expected-pods.ts';
import { ownerScale, scalableKinds } from './owner-scale.ts';
import { selectorText } from './selector-text.ts';

/** An evicted pod that still exists after this time counts as healthy again. */
const evictionTimeoutMs = 120_000;

/** Maintains the status of disruption budgets, which decides whether evictions are allowed. */
export function disruptionController(): BuiltInController {
  const selectors = new BudgetSelectors();
  const events = new CoreEventRecorder('controllermanager');
  return {
    account: 'disruption-controller',
    definition: controller({
      name: 'disruption-controller',
      for: PodDisruptionBudget,
      watches: [
        watch(PodDisruptionBudget, selectors.track),
        watch(
          Pod,
          enqueueMapped<Pod>(({ namespace, labels }) => selectors.matching(namespace, labels)),
        ),
        // Percentages in budgets depend on the desired replicas of workloads.
        ...scalableKinds.map((kind) => watch(kind, selectors.enqueueScaled)),
      ],
      reconcile: (budget, ctx) => events.during(ctx, () => reconcile(budget, { ctx, events })),
    }),
  };
}

interface Parts {
  readonly ctx: ReconcileContext<PodDisruptionBudget>;
  readonly events: CoreEventRecorder;
}

async function reconcile(budget: Stored<PodDisruptionBudget>, { ctx, events }: Parts): Promise<ReconcileOutcome> {
  if (isDeleting(budget)) return undefined;
  const { namespace } = budget.metadata;
  const selector = LabelSelector.ofObject(budget.spec?.selector);
  const pods = ctx.cache
    .lister(Pod)
    .views({ namespace })
    .filter((view) => selector.matches(view.labels))
    .map(({ object }) => object);
  if (pods.length === 0) events.record(ctx, { about: budget, reason: 'NoPods', message: 'No matching pods found' });
  let expectation: Expectation;
  try {
    const scaleOf = (reference: ControllerReference) => ownerScale(reference, { namespace, ctx });
    expectation = await expectationOf(budget, { pods, scaleOf });
  } catch (error) {
    if (!(error instanceof UnknownScaleError)) throw error;
    const message = `Failed to calculate the number of expected pods: ${error.message}`;
    events.record(ctx, { about: budget, type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
    await write(budget, { ctx, status: closed(budget, { ctx, message: error.message }) });
    return undefined;
  }
  if (expectation.hasUnmanaged) {
    const message = `Pods selected by this PodDisruptionBudget (selector: ${selectorText(budget.spec?.selector)}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
    events.record(ctx, { about: budget, type: 'Warning', reason: 'UnmanagedPods', message });
  }
  const nowMs = ctx.clock.now();
  const { disruptedPods, recheckMs } = disruptedPodsOf(budget, { pods, nowMs });
  const currentHealthy = pods.filter(
    (pod) => !isDeleting(pod) && isPodReady(pod) && disruptedPods[pod.metadata.name] === undefined,
  ).length;
  const counts = { ...expectation, currentHealthy, disruptedPods };
  await write(budget, { ctx, status: statusOf(budget, { ...counts, clock: ctx.clock }) });
  return recheckMs === undefined ? undefined : { requeueAfterMs: recheckMs };
}

/**
 * Returns the recently evicted pods that still exist and do not count as healthy, and the time until the first of these
 * pods counts as healthy again.
 */
function disruptedPodsOf(
  { status }: PodDisruptionBudget,
  { pods, nowMs }: { readonly pods: readonly Stored<Pod>[]; readonly nowMs: number },
): { readonly disruptedPods: Readonly<Record<string, string>>; readonly recheckMs: number | undefined } {
  const disruptedPods: Record<string, string> = {};
  let recheckMs: number | undefined;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const since = status?.disruptedPods?.[name];
    if (since === undefined || isDeleting(pod)) continue;
    const leftMs = Date.parse(since) + evictionTimeoutMs - nowMs;
    // Skip times that are expired or invalid.
    if (!(leftMs > 0)) continue;
    disruptedPods[name] = since;
    recheckMs = Math.min(recheckMs ?? leftMs, leftMs);
  }
  return { disruptedPods, recheckMs };
}

function statusOf(
  budget: PodDisruptionBudget,
  counts: Expectation & {
    readonly currentHealthy: number;
    readonly disruptedPods: Readonly<Record<string, string>>;
    readonly clock: Clock;
  },
): PodDisruptionBudgetStatus {
  const { expected, desired, currentHealthy, disruptedPods, clock } = counts;
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, currentHealthy - desired);
  const { generation } = budget.metadata;
  const condition = {
    type: 'DisruptionAllowed',
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    ...defined({ observedGeneration: generation }),
  } as const;
  return {
    ...defined({ observedGeneration: generation }),
    ...(Object.keys(disruptedPods).length > 0 && { disruptedPods }),
    disruptionsAllowed,
    currentHealthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: setCondition(budget.status?.conditions ?? [], condition, clock),
  };
}

/** Returns a status that allows no disruptions, for a budget whose expected pods are unknown. */
function closed(
  { status, metadata }: PodDisruptionBudget,
  { ctx, message }: { readonly ctx: Parts['ctx']; readonly message: string },
): PodDisruptionBudgetStatus {
  const observed = status?.observedGeneration ?? metadata.generation;
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    reason: 'SyncFailed',
    message,
    ...defined({ observedGeneration: observed }),
  } as const;
  const conditions = setCondition(status?.conditions ?? [], condition, ctx.clock);
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = status ?? {};
  return { ...status, currentHealthy, desiredHealthy, expectedPods, disruptionsAllowed: 0, conditions };
}

async function write(
  budget: PodDisruptionBudget,
  { ctx, status }: { readonly ctx: Parts['ctx']; readonly status: PodDisruptionBudgetStatus },
): Promise<void> {
  if (sameJson(budget.status ?? {}, status)) return;
  try {
    await updateStatus(ctx, { kind: PodDisruptionBudget, object: { ...budget, status } });
  } catch (error) {
    // An eviction changed the budget first, or the budget was deleted. The resulting event triggers another reconcile.
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}
