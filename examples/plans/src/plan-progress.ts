import type { InstanceStatus, PhaseStatus, Progress, StepStatus } from './api/v1/instance.ts';
import type { Plan, Step, Strategy } from './api/v1/operator-version.ts';

/** Returns the phases of a plan that has not begun. */
export function pendingPhases({ phases }: Plan): readonly PhaseStatus[] {
  return phases.map(({ name, steps }) => ({
    name,
    progress: 'Pending',
    steps: steps.map((step) => ({ name: step.name, progress: 'Pending' })),
  }));
}

/** Returns the steps that may run now: all that are not complete of a parallel phase, and the first one of a serial phase. */
export function runnableSteps(plan: Plan, status: InstanceStatus): readonly Step[] {
  const phases = plan.phases.map((phase) => ({
    ...phase,
    status: status.phases?.find(({ name }) => name === phase.name),
  }));
  const open = phases.filter((phase) => phase.status?.progress !== 'Complete');
  return allowed(open, plan.strategy).flatMap((phase) => {
    const progressOf = (step: Step) => phase.status?.steps.find(({ name }) => name === step.name)?.progress;
    return allowed(
      phase.steps.filter((step) => progressOf(step) !== 'Complete'),
      phase.strategy,
    );
  });
}

/** Records the progress of a step, and updates its phase and the plan. */
export function withStep(
  status: InstanceStatus,
  step: Step,
  result: Omit<StepStatus, 'name'>,
  plan: Plan,
): InstanceStatus {
  const within = plan.phases.find(({ steps }) => steps.includes(step))?.name;
  const phases = (status.phases ?? []).map((phase) => {
    if (phase.name !== within) return phase;
    const steps = phase.steps.map((each) => (each.name === step.name ? { name: each.name, ...result } : each));
    return { ...phase, steps, progress: overall(steps) };
  });
  return { ...status, phases, progress: overall(phases) };
}

function allowed<T>(open: readonly T[], strategy: Strategy = 'serial'): readonly T[] {
  return strategy === 'parallel' ? open : open.slice(0, 1);
}

/** Returns the progress of a whole, given that of its parts. */
function overall(parts: readonly { readonly progress: Progress }[]): Progress {
  if (parts.every(({ progress }) => progress === 'Complete')) return 'Complete';
  return parts.some(({ progress }) => progress === 'Failed') ? 'Failed' : 'InProgress';
}
