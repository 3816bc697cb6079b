import { type FieldError, FieldPath, invalidField } from '@kubewright/apimachinery';
import { nonNegative } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';

const statusPath = FieldPath.of('status');

/** The numeric fields in the status of a workload. */
interface Counts {
  /** The names of all numeric fields. Their values must not be negative. */
  readonly numbers: readonly string[];
  /** The fields that count a subset of the replicas, and so must not exceed `replicas`. */
  readonly parts?: readonly string[];
  /** Upstream's name for `readyReplicas` in the error about `availableReplicas`. */
  readonly ready?: string;
}

const replicaSet: Counts = {
  numbers: [
    ...['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'],
    'terminatingReplicas',
  ],
  parts: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
};

/** Validation of workload statuses: no number is negative, and no subset exceeds `replicas`. */
export const replicaStatusValidation: readonly ValidationEntry[] = [
  statusOf('/v1/replicationcontrollers', replicaSet),
  statusOf('apps/v1/replicasets', replicaSet),
  statusOf('apps/v1/deployments', {
    numbers: [
      ...['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'],
      ...['unavailableReplicas', 'terminatingReplicas', 'collisionCount'],
    ],
    parts: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  }),
  statusOf('apps/v1/statefulsets', {
    numbers: [
      ...['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      ...['observedGeneration', 'collisionCount'],
    ],
    parts: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
    ready: 'status.readyReplicas',
  }),
  statusOf('apps/v1/daemonsets', {
    numbers: [
      ...['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'],
      ...['observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable', 'collisionCount'],
    ],
  }),
];

type Status = Readonly<Record<string, number | undefined>>;

function statusOf(resource: string, counts: Counts): ValidationEntry {
  return validationOf<{ status: Status }>(`${resource}/status`, {
    validate: ({ status }) => [
      ...counts.numbers.flatMap((name) => nonNegative(status[name], statusPath.child(name))),
      ...partFaults(status, counts),
    ],
  });
}

function partFaults(status: Status, { parts = [], ready = 'readyReplicas' }: Counts): readonly FieldError[] {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const detail = 'cannot be greater than status.replicas';
  const faults = parts
    .filter((name) => (status[name] ?? 0) > replicas)
    .map((name) => invalidField(statusPath.child(name), status[name] ?? 0, detail));
  if (parts.length === 0 || availableReplicas <= readyReplicas) return faults;
  const at = statusPath.child('availableReplicas');
  return [...faults, invalidField(at, availableReplicas, `cannot be greater than ${ready}`)];
}
