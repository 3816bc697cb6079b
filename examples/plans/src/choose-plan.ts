import type { InstanceSpec, InstanceStatus } from './api/v1/instance.ts';
import type { OperatorVersionSpec, Plan } from './api/v1/operator-version.ts';
import { phasesAfter } from './plan-progress.ts';
import { InvalidInstance, typed } from './typed.ts';

/**
 * Returns the status to continue with: a new run if parameters have changed, otherwise the stored run. If a parameter
 * of the running plan changes, the plan restarts; other plans start when the running plan has ended.
 *
 * @throws InvalidInstance if the parameters or plans are invalid.
 */
export function chooseRun(
  { parameters = [], plans }: OperatorVersionSpec,
  { spec, status = {} }: { readonly spec: InstanceSpec; readonly status?: InstanceStatus | undefined },
): { readonly status: InstanceStatus; readonly plan: Plan } {
  const given = spec.parameters ?? {};
  const unknown = Object.keys(given).find((name) => !parameters.some((each) => each.name === name));
  if (unknown !== undefined) throw new InvalidInstance(`the operator has no parameter ${unknown}`);
  const wanted = parameters.map((parameter) => {
    const { name, default: value, trigger = 'deploy' } = parameter;
    const set = given[name] ?? value;
    if (set === undefined) throw new InvalidInstance(`the parameter ${name} is required`);
    typed(parameter, set); // Checked before a run starts.
    return { name, value: set, trigger };
  });
  const { run = 0, parameters: before, plan: current, progress } = status;
  const changed = wanted.filter(({ name, value }) => before?.[name] !== value);
  const startable = progress === 'InProgress' ? changed.filter(({ trigger }) => trigger === current) : changed;
  const start = before === undefined ? 'deploy' : startable[0]?.trigger;
  const name = start ?? current ?? 'deploy';
  const plan = plans.find((each) => each.name === name);
  if (plan === undefined) throw new InvalidInstance(`the operator has no plan ${name}`);
  if (start === undefined) return { status, plan };
  // The first run uses all parameters. Later runs apply only the parameters of their plan.
  const taken = changed.filter(({ trigger }) => before === undefined || trigger === start);
  const values = { ...before, ...Object.fromEntries(taken.map((each) => [each.name, each.value])) };
  const phases = phasesAfter(plan, {});
  return { plan, status: { run: run + 1, plan: name, progress: 'InProgress', parameters: values, phases } };
}
