import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import { controller, objectState, type ReconcileContext } from '@kubewright/runtime';
import { Instance, type StepStatus } from './api/v1/instance.ts';
import { OperatorVersion, type Step } from './api/v1/operator-version.ts';
import { chooseRun, InvalidInstance } from './choose-plan.ts';
import { overall, phasesAfter, runnableSteps } from './plan-progress.ts';
import { allObjects, objectsOf } from './render.ts';

/** The objects that plans can apply. */
type Applicable = ConfigMap | Service | Deployment | StatefulSet | Job;
const kinds = [ConfigMap, Service, Deployment, StatefulSet, Job];

/** Runs the plans of instances. */
export const instance = controller({
  for: Instance,
  owns: [ConfigMap, Service, Deployment, StatefulSet, Job],
  caches: [OperatorVersion],
  async reconcile({ metadata, spec, status }, ctx) {
    try {
      const name = spec.operatorVersion;
      const version = await ctx.get(OperatorVersion, { namespace: metadata.namespace, name });
      if (version === undefined) throw new InvalidInstance(`there is no OperatorVersion ${name}`);
      const { plan, status: run } = chooseRun(version.spec, { spec, status });
      // Written before the first step, so that a crash in between does not start a second run.
      if (run !== status) await ctx.setStatus(run);
      const results = new Map<Step, StepStatus>();
      for (const step of runnableSteps(plan, run)) {
        const result = await applyAll(objectsOf(step, version.spec, run), ctx);
        results.set(step, { name: step.name, ...result });
      }
      const phases = phasesAfter(plan, run, results);
      const progress = overall(phases);
      const isMoving = [...results.values()].some((result) => result.progress === 'Complete');
      const isComplete = progress === 'Complete';
      const message = `plan ${plan.name}, run ${run.run}`;
      return {
        // Deletes objects that no plan lists any longer.
        ...(isComplete && { children: stillListed(allObjects(version.spec, run), ctx) }),
        status: { ...run, phases, progress },
        conditions: [{ type: 'Ready', status: isComplete ? 'True' : 'False', reason: progress, message }],
        // Continues immediately with the next steps or the next plan.
        ...(isMoving && { requeueAfterMs: 0 }),
      };
    } catch (error) {
      if (!(error instanceof InvalidInstance)) throw error;
      // Keeps the run in the status, and retries, because a change of the OperatorVersion causes no event.
      const { conditions: _, ...kept } = status ?? {};
      const blocked = { type: 'Ready', status: 'False', reason: 'Blocked', message: error.message } as const;
      return { status: kept, conditions: [blocked], requeueAfterMs: 5_000 };
    }
  },
});

/** Applies the objects of a step, and returns their progress. */
async function applyAll(
  objects: readonly KubernetesObject[],
  ctx: ReconcileContext<Instance>,
): Promise<Omit<StepStatus, 'name'>> {
  const known = kinds.map(({ kind }) => kind);
  const foreign = objects.find(({ kind }) => !known.includes(kind));
  if (foreign) throw new InvalidInstance(`a plan can apply ${known.join(', ')}, not ${foreign.kind}`);
  const applied = await ctx.apply(objects as readonly Applicable[]); // checked above
  const states = applied.map((object) => ({ name: object.metadata.name, ...objectState(object) }));
  const late = states.find(({ state }) => state === 'Failed') ?? states.find(({ state }) => state !== 'Current');
  if (!late) return { progress: 'Complete' };
  return { progress: late.state === 'Failed' ? 'Failed' : 'InProgress', message: `${late.name} ${late.message}` };
}

/** Returns the listed objects that exist. Plans that have not run yet list others, which must not be created. */
function stillListed(listed: readonly KubernetesObject[], { observed }: ReconcileContext<Instance>) {
  const existing = kinds.flatMap((kind) => observed.list(kind as Kind<Applicable>));
  return existing.map(({ kind, metadata: { name } }) =>
    listed.find((object) => object.kind === kind && object.metadata.name === name),
  );
}
