import type { InstanceStatus, PhaseStatus, Progress, StepStatus } from './api/v1/instance.ts';
import type { Plan, Step, Strategy } from './api/v1/operator-version.ts';

/** Returns the phases of a plan after some of its steps have run. Steps that did not run keep their status. */
export function phasesAfter(
  plan: Plan,
  { phases = [] }: InstanceStatus,
  results: ReadonlyMap<Step, StepStatus> = new Map(),
): readonly PhaseStatus[] {
  return plan.phases.map(({ name, steps }) => {
    const before = named(phases, name)?.steps ?? [];
    const pending = ({ name }: Step): StepStatus => ({ name, progress: 'Pending' });
    const after = steps.map((step) => results.get(step) ?? named(before, step.name) ?? pending(step));
    return { name, progress: overall(after), steps: after };
  });
}

/**
 * Returns the steps that can run now: all incomplete steps of a parallel phase, and the first incomplete step of a
 * serial phase.
 */
export function runnableSteps(plan: Plan, { phases = [] }: InstanceStatus): readonly Step[] {
  const open = plan.phases.filter(({ name }) => named(phases, name)?.progress !== 'Complete');
  return allowed(open, plan.strategy).flatMap((phase) => {
    const states = named(phases, phase.name)?.steps ?? [];
    const steps = phase.steps.filter(({ name }) => named(states, name)?.progress !== 'Complete');
    return allowed(steps, phase.strategy);
  });
}

/** Combines the progress of the parts into the progress of the whole. */
export function overall(parts: readonly { readonly progress: Progress }[]): Progress {
  if (parts.every(({ progress }) => progress === 'Complete')) return 'Complete';
  if (parts.every(({ progress }) => progress === 'Pending')) return 'Pending';
  return parts.some(({ progress }) => progress === 'Failed') ? 'Failed' : 'InProgress';
}

function allowed<T>(open: readonly T[], strategy: Strategy = 'serial'): readonly T[] {
  return strategy === 'parallel' ? open : open.slice(0, 1);
}

function named<T extends { readonly name: string }>(parts: readonly T[], name: string): T | undefined {
  return parts.find((part) => part.name === name);
}
