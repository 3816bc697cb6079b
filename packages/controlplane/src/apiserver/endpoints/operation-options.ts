import type { DeleteOptions } from '../registry/index.ts';

/** What admission is told of a write's options, as the client said them. */
export function writeFields(query: URLSearchParams, dryRun: boolean): Readonly<Record<string, unknown>> {
  const fieldManager = query.get('fieldManager');
  const fieldValidation = query.get('fieldValidation');
  return {
    ...(dryRun && { dryRun: ['All'] }),
    ...(fieldManager && { fieldManager }),
    ...(fieldValidation && { fieldValidation }),
  };
}

/** What admission is told of a deletion's options. */
export function deletionFields(options: DeleteOptions): Readonly<Record<string, unknown>> {
  const { gracePeriodSeconds, preconditions, orphanDependents, propagationPolicy, dryRun } = options;
  return {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(preconditions && { preconditions }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && { propagationPolicy }),
    ...(dryRun && { dryRun: ['All'] }),
  };
}
