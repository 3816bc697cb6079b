import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Job, JobStatus } from '../generated/drafts.ts';
import { fields, nonNegative, semanticEqual } from '../validation/check.ts';
import { type ParsedIndexes, parseIndexes } from './index-lists.ts';

const statusPath = FieldPath.of('status');
const conditionsPath = statusPath.child('conditions');

/**
 * Validates a Job's status, which custom Job controllers can write, too. As in upstream, most rules apply only to
 * changed fields, so that a status that is already invalid can still be updated. Mirrors `ValidateJobUpdateStatus`
 * (1.36).
 */
export function jobStatusFaults(job: Job, old: Job): readonly FieldError[] {
  const { status } = job;
  const now = stateOf(status);
  const before = stateOf(old.status);
  const changed = (name: keyof JobStatus): boolean => !semanticEqual(status[name], old.status[name]);
  const change: Change = { job, old, now, before, changed };
  return [
    ...fields<JobStatus>({
      active: nonNegative,
      succeeded: nonNegative,
      failed: nonNegative,
      ready: nonNegative,
      terminating: nonNegative,
    })(status, statusPath),
    ...uncountedFaults(status),
    ...conditionFaults(change),
    ...timeFaults(change),
    ...indexFaults(change),
    ...podFaults(change),
    ...transitionFaults(change),
  ];
}

interface State {
  readonly complete: boolean;
  readonly failed: boolean;
  readonly failureTarget: boolean;
  readonly success: boolean;
  readonly finished: boolean;
}

interface Change {
  readonly job: Job;
  readonly old: Job;
  readonly now: State;
  readonly before: State;
  changed(name: keyof JobStatus): boolean;
}

function stateOf({ conditions }: JobStatus): State {
  const is = (type: string): boolean =>
    (conditions ?? []).some((condition) => condition.type === type && condition.status === 'True');
  const [complete, failed] = [is('Complete'), is('Failed')];
  return {
    complete,
    failed,
    failureTarget: is('FailureTarget'),
    success: is('SuccessCriteriaMet'),
    finished: complete || failed,
  };
}

/** Builds an error about the conditions, without their value, as upstream does. */
function wrongConditions(detail: string): FieldError {
  return { type: 'FieldValueInvalid', field: String(conditionsPath), body: `Invalid value: ${detail}` };
}

function uncountedFaults({ uncountedTerminatedPods }: JobStatus): readonly FieldError[] {
  const seen = new Set<string>();
  return (['succeeded', 'failed'] as const).flatMap((list) =>
    (uncountedTerminatedPods?.[list] ?? []).flatMap((uid, index) => {
      const at = statusPath.child('uncountedTerminatedPods', list).index(index);
      if (uid === '') return [invalidField(at, uid, 'must not be empty')];
      if (seen.has(uid)) return [duplicateField(at, uid)];
      seen.add(uid);
      return [];
    }),
  );
}

function conditionFaults({ job, now, before, changed }: Change): readonly FieldError[] {
  const texts: string[] = [];
  const completeChanged = now.complete !== before.complete;
  const failedChanged = now.failed !== before.failed;
  const targetChanged = now.failureTarget !== before.failureTarget;
  const successChanged = now.success !== before.success;
  if ((completeChanged || failedChanged) && now.complete && now.failed) {
    texts.push('cannot set Complete=True and Failed=true conditions');
  }
  if ((completeChanged || targetChanged) && now.complete && now.failureTarget) {
    texts.push('cannot set Complete=True and FailureTarget=true conditions');
  }
  if ((failedChanged || changed('failedIndexes')) && now.failed && !now.failureTarget) {
    texts.push('cannot set Failed=True condition without the FailureTarget=true condition');
  }
  if ((completeChanged || successChanged) && now.complete && !now.success) {
    texts.push('cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  }
  if (now.success && now.failed) texts.push('cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (now.success && now.failureTarget) {
    texts.push('cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  }
  if (job.spec.successPolicy && now.complete && !now.success) {
    texts.push('cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
  }
  return texts.map(wrongConditions);
}

function timeFaults({ job, old, now, before, changed }: Change): readonly FieldError[] {
  const { status, spec } = job;
  const { startTime, completionTime } = status;
  const at = statusPath.child('completionTime');
  const start = statusPath.child('startTime');
  const faults: FieldError[] = [];
  const completeChanged = now.complete !== before.complete;
  if ((completeChanged || changed('completionTime')) && completionTime && !now.complete) {
    faults.push(invalidField(at, completionTime, 'cannot set completionTime when there is no Complete=True condition'));
  }
  if ((completeChanged || changed('completionTime')) && !completionTime && now.complete) {
    faults.push(requiredField(at, 'completionTime is required for Complete jobs'));
  }
  const timesChanged = changed('startTime') || changed('completionTime');
  if (timesChanged && startTime && completionTime && Date.parse(completionTime) < Date.parse(startTime)) {
    faults.push(invalidField(at, completionTime, 'must be equal to or after `startTime`'));
  }
  if (completionTime && old.status.completionTime && changed('completionTime')) {
    faults.push(invalidField(at, completionTime, 'field is immutable'));
  }
  const neverRan = spec.suspend === true && spec.completions === 0;
  if ((now.finished !== before.finished || changed('startTime')) && !neverRan && !startTime && now.finished) {
    faults.push(requiredField(start, 'startTime is required for finished job'));
  }
  if (old.status.startTime && changed('startTime') && !spec.suspend && !isResuming(job, old)) {
    faults.push(invalidField(start, startTime ?? null, 'field is immutable for unsuspended job once set'));
  }
  return faults;
}

function isResuming(job: Job, old: Job): boolean {
  const has = ({ status }: Job, value: string): boolean =>
    (status.conditions ?? []).some((condition) => condition.type === 'Suspended' && condition.status === value);
  return has(old, 'True') && has(job, 'False');
}

function indexFaults({ job, changed }: Change): readonly FieldError[] {
  const { completions, completionMode, backoffLimitPerIndex } = job.spec;
  const { completedIndexes = '', failedIndexes } = job.status;
  const at = { completed: statusPath.child('completedIndexes'), failed: statusPath.child('failedIndexes') };
  const faults: FieldError[] = [];
  const parse = (text: string | undefined): ParsedIndexes | undefined =>
    completions === undefined || text === undefined ? undefined : parseIndexes(text, completions);
  const completed = parse(completedIndexes);
  const failed = parse(failedIndexes);
  if (changed('completedIndexes')) {
    if (completed && 'fault' in completed) {
      faults.push(invalidField(at.completed, completedIndexes, `error parsing completedIndexes: ${completed.fault}`));
    }
    if (completedIndexes !== '' && completionMode !== 'Indexed') {
      const detail = 'cannot set non-empty completedIndexes when non-indexed completion mode';
      faults.push(invalidField(at.completed, completedIndexes, detail));
    }
  }
  if (changed('failedIndexes')) {
    if (backoffLimitPerIndex !== undefined && failed && 'fault' in failed) {
      faults.push(invalidField(at.failed, failedIndexes, `error parsing failedIndexes: ${failed.fault}`));
    }
    if (backoffLimitPerIndex === undefined && failedIndexes !== undefined) {
      const detail = 'cannot set non-null failedIndexes when backoffLimitPerIndex is null';
      faults.push(invalidField(at.failed, failedIndexes, detail));
    }
  }
  if ((changed('failedIndexes') || changed('completedIndexes')) && failed && completed) {
    const detail = overlap(completed, failed);
    if (detail !== undefined) faults.push(invalidField(at.failed, failedIndexes, detail));
  }
  return faults;
}

/** Returns an error text if an index has both completed and failed. Both lists are sorted. */
function overlap(completed: ParsedIndexes, failed: ParsedIndexes): string | undefined {
  if ('fault' in completed || 'fault' in failed) return undefined;
  let next = 0;
  for (const [first, last] of failed.intervals) {
    while ((completed.intervals[next]?.[1] ?? Number.POSITIVE_INFINITY) < first) next++;
    const other = completed.intervals[next];
    if (other && other[0] <= last) {
      return `failedIndexes and completedIndexes overlap at index: ${Math.max(first, other[0])}`;
    }
  }
  return undefined;
}

function podFaults({ job: { status }, now, before, changed }: Change): readonly FieldError[] {
  const { active = 0, ready, terminating = 0, uncountedTerminatedPods } = status;
  const finishedChanged = now.finished !== before.finished;
  const faults: FieldError[] = [];
  if ((finishedChanged || changed('active')) && active > 0 && now.finished) {
    faults.push(invalidField(statusPath.child('active'), active, 'active>0 is invalid for finished job'));
  }
  const uncounted = [...(uncountedTerminatedPods?.succeeded ?? []), ...(uncountedTerminatedPods?.failed ?? [])];
  if ((finishedChanged || changed('uncountedTerminatedPods')) && now.finished && uncounted.length > 0) {
    const shown = {
      Succeeded: uncountedTerminatedPods?.succeeded ?? null,
      Failed: uncountedTerminatedPods?.failed ?? null,
    };
    faults.push(invalidField(statusPath.child('uncountedTerminatedPods'), shown, 'must be empty for finished job'));
  }
  if ((finishedChanged || changed('terminating')) && terminating > 0 && now.finished) {
    const detail = 'terminating>0 is invalid for finished job';
    faults.push(invalidField(statusPath.child('terminating'), terminating, detail));
  }
  if ((changed('ready') || changed('active')) && ready !== undefined && ready > active) {
    faults.push(invalidField(statusPath.child('ready'), ready, 'cannot set more ready pods than active'));
  }
  return faults;
}

function transitionFaults({ job, old, now, before }: Change): readonly FieldError[] {
  const { spec, status } = job;
  const disabled = [
    before.failed && !now.failed ? ['Failed'] : [],
    before.complete && !now.complete ? ['Complete'] : [],
    before.failureTarget && !now.failureTarget ? ['FailureTarget'] : [],
  ].flat();
  const faults = disabled.map((type) => wrongConditions(`cannot disable the terminal ${type}=True condition`));
  const failed = status.failed ?? 0;
  const succeeded = status.succeeded ?? 0;
  if (failed < (old.status.failed ?? 0)) {
    faults.push(invalidField(statusPath.child('failed'), failed, 'cannot decrease the failed counter'));
  }
  const isElastic = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!isElastic && succeeded < (old.status.succeeded ?? 0)) {
    faults.push(invalidField(statusPath.child('succeeded'), succeeded, 'cannot decrease the succeeded counter'));
  }
  if (before.success && !now.success) {
    faults.push(wrongConditions('cannot disable the SuccessCriteriaMet=True condition'));
  }
  if (before.complete && !before.success && now.success) {
    faults.push(wrongConditions('cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions'));
  }
  return faults;
}
