import type { Kind, KubernetesObject, ObjectKey } from '@kubewright/apimachinery';
import { Deployment, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { ConfigMap, Service } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  controller,
  enqueueMapped,
  objectState,
  type ReconcileContext,
  watch,
} from '@kubewright/runtime';
import { Instance, type StepStatus } from './api/v1/instance.ts';
import { OperatorVersion, type Step } from './api/v1/operator-version.ts';
import { chooseRun } from './choose-plan.ts';
import { overall, phasesAfter, runnableSteps } from './plan-progress.ts';
import { allObjects, objectsOf } from './render.ts';
import { InvalidInstance } from './typed.ts';

type Context = ReconcileContext<Instance>;
/** The kinds that plans can apply. */
const kinds: readonly Kind<KubernetesObject>[] = [ConfigMap, Service, Deployment, StatefulSet, Job];

/** Returns a controller that runs the plans of instances. */
export function instances(): ControllerDefinition {
  /** The instances with their operators, by key. An OperatorVersion does not know who uses it. */
  const users = new Map<string, ObjectKey & { readonly operatorVersion: string }>();
  const usersOf = ({ name }: ObjectKey) => [...users.values()].filter((user) => user.operatorVersion === name);
  return controller({
    for: Instance,
    owns: [ConfigMap, Service, Deployment, StatefulSet, Job],
    watches: [watch(OperatorVersion, enqueueMapped(usersOf))],
    async reconcile({ metadata: { namespace, name }, spec, status }, ctx) {
      const { operatorVersion } = spec;
      users.set(`${namespace}/${name}`, { namespace, name, operatorVersion });
      try {
        const version = await ctx.get(OperatorVersion, { namespace, name: operatorVersion });
        if (version === undefined) throw new InvalidInstance(`there is no OperatorVersion ${operatorVersion}`);
        const { plan, status: run } = chooseRun(version.spec, { spec, status });
        // Written before the first step, so that a crash in between does not start a second run.
        if (run !== status) await ctx.setStatus(run);
        const results = new Map<Step, StepStatus>();
        for (const step of runnableSteps(plan, run))
          results.set(step, { name: step.name, ...(await applyAll(objectsOf(step, version.spec, run), ctx)) });
        const phases = phasesAfter(plan, run, results);
        const progress = overall(phases);
        const isComplete = progress === 'Complete';
        const message = `plan ${plan.name}, run ${run.run}`;
        return {
          // Deletes objects that no plan lists any longer.
          ...(isComplete && { children: stillListed(allObjects(version.spec, run), ctx) }),
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
  const known = kinds.map(({ kind }) => kind);
  const foreign = objects.find(({ kind }) => !known.includes(kind));
  if (foreign) throw new InvalidInstance(`a plan can apply ${known.join(', ')}, not ${foreign.kind}`);
  // Checked above. The generated role depends on these types.
  const applied = await ctx.apply(objects as readonly (ConfigMap | Service | Deployment | StatefulSet | Job)[]);
  const states = applied.map((object) => ({ name: object.metadata.name, ...objectState(object) }));
  const late = states.find(({ state }) => state === 'Failed') ?? states.find(({ state }) => state !== 'Current');
  if (!late) return { progress: 'Complete' };
  return { progress: late.state === 'Failed' ? 'Failed' : 'InProgress', message: `${late.name} ${late.message}` };
}

/** Returns the listed objects that exist. Plans that have not run yet list others, which must not be created. */
function stillListed(listed: readonly KubernetesObject[], { observed }: Context) {
  return kinds
    .flatMap((kind) => observed.list(kind))
    .map(({ kind, metadata: { name } }) => listed.find((each) => each.kind === kind && each.metadata.name === name));
}
