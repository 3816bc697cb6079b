import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { JobSpec } from '../generated/drafts.ts';

/** Limits the size of the index lists in a job's status. */
const MAX_PARALLELISM = 100_000;
const MAX_FAILED_INDEXES = 100_000;
/** With a backoff limit per index, jobs with more completions than this have lower limits. */
const MANY_COMPLETIONS = 100_000;
const MAX_WITH_MANY_COMPLETIONS = 10_000;

/** Validates the numbers of an Indexed Job, and the fields that only such jobs may set. Mirrors `validateJobSpec` (1.36). */
export function indexedJobLimits(spec: JobSpec, path: FieldPath): readonly FieldError[] {
  const faults = neededByFailedIndexes(spec, path);
  if (spec.completionMode !== 'Indexed') return [...faults, ...onlyForIndexed(spec, path)];
  const { completions, parallelism = 0, maxFailedIndexes = 0, backoffLimitPerIndex } = spec;
  const tooMany = (field: 'parallelism' | 'maxFailedIndexes', detail: string) =>
    faults.push(invalidField(path.child(field), spec[field], detail));
  if (completions === undefined) {
    faults.push(requiredField(path.child('completions'), 'when completion mode is Indexed'));
  }
  if (parallelism > MAX_PARALLELISM) {
    tooMany('parallelism', `must be less than or equal to ${MAX_PARALLELISM} when completion mode is Indexed`);
  }
  if (completions !== undefined && maxFailedIndexes > completions) {
    tooMany('maxFailedIndexes', 'must be less than or equal to completions');
  }
  if (maxFailedIndexes > MAX_FAILED_INDEXES) {
    tooMany('maxFailedIndexes', `must be less than or equal to ${MAX_FAILED_INDEXES}`);
  }
  if ((completions ?? 0) <= MANY_COMPLETIONS || backoffLimitPerIndex === undefined) return faults;
  const detail = `must be less than or equal to ${MAX_WITH_MANY_COMPLETIONS} when completions are above ${MANY_COMPLETIONS} and used with backoff limit per index`;
  if (spec.maxFailedIndexes === undefined) {
    const missing = `must be specified when completions is above ${MANY_COMPLETIONS}`;
    faults.push(requiredField(path.child('maxFailedIndexes'), missing));
  }
  if (parallelism > MAX_WITH_MANY_COMPLETIONS) tooMany('parallelism', detail);
  if (maxFailedIndexes > MAX_WITH_MANY_COMPLETIONS) tooMany('maxFailedIndexes', detail);
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
