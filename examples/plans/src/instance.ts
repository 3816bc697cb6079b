import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import { controller, objectState, type ReconcileContext } from '@kubewright/runtime';
import { Instance, type StepStatus } from './api/v1/instance.ts';
import { OperatorVersion } from './api/v1/operator-version.ts';
import { chooseRun, InvalidInstance } from './choose-plan.ts';
import { runnableSteps, withStep } from './plan-progress.ts';
import { allObjects, objectsOf } from './render.ts';

/** The objects that plans can apply. */
type Applicable = ConfigMap | Service | Deployment | StatefulSet | Job;
const kinds = [ConfigMap, Service, Deployment, StatefulSet, Job];

/** Runs the plans of instances. */
export const instance = controller({
  for: Instance,
  owns: [ConfigMap, Service, Deployment, StatefulSet, Job],
  caches: [OperatorVersion],
  async reconcile(object, ctx) {
    const { spec, metadata } = object;
    const version = await ctx.get(OperatorVersion, { namespace: metadata.namespace, name: spec.operatorVersion });
    if (version === undefined)
      return { ...blocked(object, `there is no OperatorVersion ${spec.operatorVersion}`), requeueAfterMs: 5_000 };
    try {
      const chosen = chooseRun(version.spec, object);
      const { plan } = chosen;
      let { status } = chosen;
      // Written before the first step, so that a crash in between does not start a second run.
      if (status !== object.status) await ctx.setStatus(status);
      for (let steps = runnableSteps(plan, status), isMoving = true; isMoving; steps = runnableSteps(plan, status)) {
        isMoving = false;
        for (const step of steps) {
          const result = await applyAll(objectsOf(step, version.spec, status), ctx);
          status = withStep(status, step, result, plan);
          isMoving ||= result.progress === 'Complete';
        }
      }
      const isComplete = status.progress === 'Complete';
      const isLast = isComplete && chooseRun(version.spec, { spec, status }).status === status;
      if (isLast) await prune(allObjects(version.spec, status), ctx);
      const reason = status.progress ?? 'Pending';
      const message = `plan ${plan.name}, run ${status.run}`;
      return { status, conditions: [{ type: 'Ready', status: isComplete ? 'True' : 'False', reason, message }] };
    } catch (error) {
      if (error instanceof InvalidInstance) return blocked(object, error.message);
      throw error;
    }
  },
});

/** Applies the objects of a step, and returns their progress. */
async function applyAll(
  objects: readonly KubernetesObject[],
  ctx: ReconcileContext<Instance>,
): Promise<Omit<StepStatus, 'name'>> {
  const states = [];
  for (const object of objects) {
    if (!kinds.some(({ kind }) => kind === object.kind))
      throw new InvalidInstance(`a plan can apply ${kinds.map(({ kind }) => kind).join(', ')}, not ${object.kind}`);
    const applied: Stored<Applicable> = await ctx.apply(object as Applicable); // checked above
    states.push({ name: applied.metadata.name, ...objectState(applied) });
  }
  const failed = states.find(({ state }) => state === 'Failed');
  const waiting = states.find(({ state }) => state !== 'Current');
  const { name, message } = failed ?? waiting ?? {};
  if (name === undefined) return { progress: 'Complete' };
  return { progress: failed ? 'Failed' : 'InProgress', message: `${name} ${message}` };
}

/** Deletes the objects of earlier runs that no plan lists any longer. */
async function prune(listed: readonly KubernetesObject[], ctx: ReconcileContext<Instance>): Promise<void> {
  for (const kind of kinds) {
    const names = new Set(listed.filter((each) => each.kind === kind.kind).map(({ metadata }) => metadata.name));
    const superfluous = ctx.observed.list(kind as Kind<Applicable>).filter(({ metadata }) => !names.has(metadata.name));
    for (const each of superfluous) await ctx.delete(each, { propagationPolicy: 'Background' });
  }
}

/** Reports why nothing can be done, and keeps the run. */
function blocked({ status }: Stored<Instance>, message: string) {
  const { conditions: _, ...kept } = status ?? {};
  return { status: kept, conditions: [{ type: 'Ready', status: 'False', reason: 'Blocked', message } as const] };
}
