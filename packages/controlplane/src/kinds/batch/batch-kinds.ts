import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { CronJob, Job } from '../generated/drafts.ts';
import { generateJobSelector } from './job-selector.ts';

/** Kinds of the batch group. */
export const batchKinds: readonly BuiltinKind[] = [
  builtinKind<CronJob>({ resource: 'batch/v1/cronjobs', struct: 'batchv1.CronJob', generation: 'spec' }),
  builtinKind<Job>({
    resource: 'batch/v1/jobs',
    struct: 'batchv1.Job',
    generation: 'spec',
    // Upstream keeps this default for compatibility: Jobs existed before garbage collection.
    defaultPropagation: 'Orphan',
    defaultPropagationWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    strategy: { prepareForCreate: generateJobSelector },
    fieldLabels: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
  }),
];
