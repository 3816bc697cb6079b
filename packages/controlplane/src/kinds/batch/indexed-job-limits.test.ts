import { FieldPath } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import type { JobSpec } from '../generated/drafts.ts';
import { indexedJobLimits } from './indexed-job-limits.ts';

const path = FieldPath.of('spec');
const high =
  'must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index';
const indexed = { completionMode: 'Indexed', completions: 2_000_000_000 } as const;
const base = { template: { metadata: {}, spec: { containers: [] } } } as unknown as JobSpec;

it.each<{ readonly spec: Partial<JobSpec>; readonly faults: readonly string[] }>([
  { spec: { ...indexed, parallelism: 100_000 }, faults: [] },
  {
    spec: { ...indexed, parallelism: 100_001 },
    faults: [
      'spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
    ],
  },
  {
    spec: { ...indexed, backoffLimitPerIndex: 1 },
    faults: ['spec.maxFailedIndexes: Required value: must be specified when completions is above 100000'],
  },
  {
    spec: { ...indexed, backoffLimitPerIndex: 1, maxFailedIndexes: 10_001, parallelism: 10_001 },
    faults: [`spec.parallelism: Invalid value: 10001: ${high}`, `spec.maxFailedIndexes: Invalid value: 10001: ${high}`],
  },
  {
    spec: { completionMode: 'Indexed', completions: 1, maxFailedIndexes: 2, backoffLimitPerIndex: 1 },
    faults: ['spec.maxFailedIndexes: Invalid value: 2: must be less than or equal to completions'],
  },
  {
    spec: { parallelism: 2_000_000_000, maxFailedIndexes: 1 },
    faults: [
      'spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified',
      'spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode',
    ],
  },
])('rejects $spec', ({ spec, faults }) => {
  expect(indexedJobLimits({ ...base, ...spec }, path).map(({ field, body }) => `${field}: ${body}`)).toEqual(faults);
});
