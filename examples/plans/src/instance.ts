import type { KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  controller,
  enqueueMapped,
  type Lister,
  objectState,
  type ReconcileContext,
  watch,
} from '@kubewright/runtime';
import { Instance, type StepStatus } from './api/v1/instance.ts';
import { OperatorVersion, type Step } from './api/v1/operator-version.ts';
import { chooseRun } from './choose-plan.ts';
import { overall, phasesAfter, runnableSteps } from './plan-progress.ts';
import { allObjects, kinds, objectsOf } from './render.ts';
import { InvalidInstance } from './typed.ts';

type Context = ReconcileContext<Instance>;

/** Returns a controller that runs the plans of instances. */
export function instances(): ControllerDefinition {
  /** The cached instances; undefined before the first reconcile. */
  let cached: Lister<Instance> | undefined;
  /** Returns all instances of a namespace: an OperatorVersion does not show which of them use it. */
  const instancesIn = ({ namespace = '' }: ObjectKey) => cached?.views({ namespace }).map(({ key }) => key) ?? [];
  return controller({
    for: Instance,
    owns: [ConfigMap, Service, Deployment, StatefulSet, Job],
    watches: [watch(OperatorVersion, enqueueMapped(instancesIn))],
    async reconcile({ metadata: { namespace }, spec, status }, ctx) {
      cached = ctx.cache.lister(Instance);
      try {
        const version = await ctx.get(OperatorVersion, { namespace, name: spec.operatorVersion });
        if (version === undefined) throw new InvalidInstance(`OperatorVersion ${spec.operatorVersion} does not exist`);
        const { plan, status: run } = chooseRun(version.spec, { spec, status });
        // A parameter that no run has applied yet has its new value in every plan, although its own plan runs later.
        const rendered = { ...run, parameters: { ...spec.parameters, ...run.parameters } };
        // Rendered before anything is written, so that an invalid manifest does not start a run.
        const steps = runnableSteps(plan, run).map((step) => [step, objectsOf(step, version.spec, rendered)] as const);
        // Written before the first step, so that a crash in between does not start a second run.
        if (run !== status) await ctx.setStatus(run);
        const results = new Map<Step, StepStatus>();
        for (const [step, objects] of steps) results.set(step, { name: step.name, ...(await applyAll(objects, ctx)) });
        const phases = phasesAfter(plan, run, results);
        const progress = overall(phases);
        const isComplete = progress === 'Complete';
        const isSettled = run.progress === 'Complete' && steps.length === 0;
        const message = `plan ${plan.name}, run ${run.run}`;
        return {
          // Once the status says that the run is complete, deletes objects that no plan lists anymore.
          ...(isSettled && { children: stillListed(allObjects(version.spec, rendered), ctx) }),
          status: { ...run, phases, progress },
          conditions: [{ type: 'Ready', status: isComplete ? 'True' : 'False', reason: progress, message }],
          // Continues immediately with the next steps or the next plan.
          ...([...results.values()].some((each) => each.progress === 'Complete') && { requeueAfterMs: 0 }),
        };
      } catch (error) {
        if (!(error instanceof InvalidInstance)) throw error;
        // Keeps the run in the status. A change of the instance or its OperatorVersion triggers the next reconcile.
        const { conditions: _, ...kept } = status ?? {};
        const blocked = { type: 'Ready', status: 'False', reason: 'Blocked', message: error.message } as const;
        return { status: kept, conditions: [blocked] };
      }
    },
  });
}

/** Applies the objects of a step, and returns their progress. */
async function applyAll(objects: readonly KubernetesObject[], ctx: Context): Promise<Omit<StepStatus, 'name'>> {
  // Checked by `objectsOf`. The generated role depends on these types.
  const applied = await ctx.apply(objects as readonly (ConfigMap | Service | Deployment | StatefulSet | Job)[]);
  const states = applied.map((object) => ({ name: object.metadata.name, ...objectState(object) }));
  const late = states.find(({ state }) => state === 'Failed') ?? states.find(({ state }) => state !== 'Current');
  if (!late) return { progress: 'Complete' };
  return { progress: late.state === 'Failed' ? 'Failed' : 'InProgress', message: `${late.name} ${late.message}` };
}

/** Returns the listed objects that exist. Plans that have not run yet list other objects, which must not be created. */
function stillListed(listed: readonly KubernetesObject[], { observed }: Context) {
  return kinds
    .flatMap((kind) => observed.list(kind))
    .map(({ kind, metadata: { name } }) => listed.find((each) => each.kind === kind && each.metadata.name === name));
}
