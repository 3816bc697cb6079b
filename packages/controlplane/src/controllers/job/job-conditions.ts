import { formatTime } from '@kubewright/apimachinery';
import type { Job, JobCondition, JobStatus } from '@kubewright/apimachinery/batch/v1';

/** How a job ends: what its interim and its final condition say. */
export interface Verdict {
  readonly outcome: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** True for a job that has ended for good. */
export function isFinished({ status }: Job): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}

/** The condition of a type. */
function conditionOf(status: JobStatus | undefined, type: JobCondition['type']): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Makes a condition as of now. */
function jobCondition(
  said: Pick<JobCondition, 'type' | 'status'> & { readonly reason: string; readonly message: string },
  nowMs: number,
): JobCondition {
  const now = formatTime(nowMs);
  return { ...said, lastProbeTime: now, lastTransitionTime: now };
}

/** The verdict that was reached before and waits for pods to end. */
export function standingVerdict({ status }: Job): Verdict | undefined {
  for (const [type, outcome] of [
    ['FailureTarget', 'Failed'],
    ['SuccessCriteriaMet', 'Complete'],
  ] as const) {
    const condition = conditionOf(status, type);
    if (condition?.status === 'True') {
      return { outcome, reason: condition.reason ?? '', message: condition.message ?? '' };
    }
  }
  return undefined;
}

/** Conditions with the verdict in them: the interim one at once, the final one when no pod is left to end. */
export function withVerdict(
  conditions: readonly JobCondition[],
  { verdict, final, nowMs }: { readonly verdict: Verdict; readonly final: boolean; readonly nowMs: number },
): readonly JobCondition[] {
  const { outcome, reason, message } = verdict;
  const interim = outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const wanted = final ? [interim, outcome] : [interim];
  const missing = wanted.filter((type) => !conditions.some((each) => each.type === type && each.status === 'True'));
  return [...conditions, ...missing.map((type) => jobCondition({ type, status: 'True', reason, message }, nowMs))];
}

/** Conditions that say whether the job is suspended; the same list when they say so already. */
export function withSuspension(
  conditions: readonly JobCondition[],
  { suspended, nowMs }: { readonly suspended: boolean; readonly nowMs: number },
): readonly JobCondition[] {
  const present = conditions.find(({ type }) => type === 'Suspended');
  const status = suspended ? 'True' : 'False';
  if ((!present && !suspended) || present?.status === status) return conditions;
  const said = suspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' };
  const next = jobCondition({ type: 'Suspended', status, ...said }, nowMs);
  return present ? conditions.map((each) => (each === present ? next : each)) : [...conditions, next];
}
