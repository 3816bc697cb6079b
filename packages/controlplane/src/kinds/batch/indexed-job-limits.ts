import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { JobSpec } from '../generated/drafts.ts';

/** These limits keep the index lists in a job's status short. */
const maxParallelism = 100_000;
const failedIndexesLimit = 100_000;
/** If a job has a backoff limit per index, lower limits apply above this number of completions. */
const manyCompletions = 100_000;
const maxWithManyCompletions = 10_000;

/** Validates the limits of an Indexed Job, and rejects fields that only Indexed Jobs may set. Mirrors `validateJobSpec` (1.36). */
export function indexedJobLimits(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const faults = neededByFailedIndexes(spec, path);
  if (spec.completionMode !== 'Indexed') return [...faults, ...onlyForIndexed(spec, path)];
  const { completions, parallelism = 0, maxFailedIndexes = 0, backoffLimitPerIndex } = spec;
  const tooMany = (field: 'parallelism' | 'maxFailedIndexes', detail: string) =>
    faults.push(invalidField(path.child(field), spec[field], detail));
  if (completions === undefined) {
    faults.push(requiredField(path.child('completions'), 'when completion mode is Indexed'));
  }
  if (parallelism > maxParallelism) {
    tooMany('parallelism', `must be less than or equal to ${maxParallelism} when completion mode is Indexed`);
  }
  if (completions !== undefined && maxFailedIndexes > completions) {
    tooMany('maxFailedIndexes', 'must be less than or equal to completions');
  }
  if (maxFailedIndexes > failedIndexesLimit) {
    tooMany('maxFailedIndexes', `must be less than or equal to ${failedIndexesLimit}`);
  }
  if ((completions ?? 0) <= manyCompletions || backoffLimitPerIndex === undefined) return faults;
  const detail = `must be less than or equal to ${maxWithManyCompletions} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (spec.maxFailedIndexes === undefined) {
    const missing = `must be specified when completions is above ${manyCompletions}`;
    faults.push(requiredField(path.child('maxFailedIndexes'), missing));
  }
  if (parallelism > maxWithManyCompletions) tooMany('parallelism', detail);
  if (maxFailedIndexes > maxWithManyCompletions) tooMany('maxFailedIndexes', detail);
  return faults;
}

function neededByFailedIndexes(spec: JobSpec, path: FieldPath): FieldError[] {
  if (spec.maxFailedIndexes === undefined || spec.backoffLimitPerIndex !== undefined) return [];
  return [requiredField(path.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified')];
}

function onlyForIndexed(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const)
    .filter((field) => spec[field] !== undefined)
    .map((field) => invalidField(path.child(field), spec[field], 'requires indexed completion mode'));
}
