import { defined } from '@kubewright/apimachinery/internal';
import type { DeleteOptions } from '../registry/index.ts';

/** Returns the options of a write as passed to admission, with the client's values. */
export function writeFields(query: URLSearchParams, dryRun: boolean): Readonly<Record<string, unknown>> {
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    ...(dryRun && { dryRun: ['All'] }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** Returns the options of a deletion as passed to admission. */
export function deletionFields(options: DeleteOptions): Readonly<Record<string, unknown>> {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
  return {
    ...defined({ gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}
