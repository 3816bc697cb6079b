import type { Job, JobCondition, JobStatus } from '@kubewright/apimachinery/batch/v1';
import { formatTime } from '@kubewright/apimachinery/internal';

/** The outcome of a job, with the reason and message for its conditions. */
export interface JobOutcome {
  readonly outcome: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

/** True if a job has completed or failed. */
export function isFinished(job: Job): boolean {
  return finishedCondition(job) !== undefined;
}

/** Returns a finished job's Complete or Failed condition, or undefined if the job has not finished. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: value }) => (type === 'Complete' || type === 'Failed') && value === 'True',
  );
}

/** Returns the condition with the given type. */
function conditionOf(status: JobStatus | undefined, type: JobCondition['type']): JobCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** Builds a condition that is dated now. */
function jobCondition(
  said: Pick<JobCondition, 'type' | 'status'> & { readonly reason: string; readonly message: string },
  nowMs: number,
): JobCondition {
  const now = formatTime(nowMs);
  return { ...said, lastProbeTime: now, lastTransitionTime: now };
}

/**
 * Returns the outcome that an earlier reconcile recorded in an interim condition, if any. The job finishes with this
 * outcome once its pods have terminated.
 */
export function pendingOutcome({ status }: Job): JobOutcome | undefined {
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

/**
 * Returns the conditions with a job's outcome. The interim condition is set immediately. The final condition is set
 * only if `final` is true, once all pods have terminated.
 */
export function withOutcome(
  conditions: readonly JobCondition[],
  { verdict, final, nowMs }: { readonly verdict: JobOutcome; readonly final: boolean; readonly nowMs: number },
): readonly JobCondition[] {
  const { outcome, reason, message } = verdict;
  const interim = outcome === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const wanted = final ? [interim, outcome] : [interim];
  const missing = wanted.filter((type) => !conditions.some((each) => each.type === type && each.status === 'True'));
  return [...conditions, ...missing.map((type) => jobCondition({ type, status: 'True', reason, message }, nowMs))];
}

/** Returns the conditions with an up-to-date Suspended condition. Returns the same list if nothing changes. */
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
