import {
  checkQualifiedName,
  type FieldError,
  FieldPath,
  invalidField,
  Quantity,
  unsupportedField,
} from '@kubewright/apimachinery';
import type { PersistentVolumeClaimStatus } from '../generated/drafts.ts';
import { isNative } from './resources-validation.ts';

const statusPath = FieldPath.of('status');
const resizeStatuses = [
  'ControllerResizeInProgress',
  'ControllerResizeInfeasible',
  'NodeResizeInProgress',
  'NodeResizeInfeasible',
  'NodeResizePending',
];

/**
 * Validates a claim's status: amounts must not be negative, and the only native resource that can be allocated is
 * storage.
 */
export function claimStatusFaults(status: PersistentVolumeClaimStatus): readonly FieldError[] {
  const { capacity = {}, allocatedResources = {}, allocatedResourceStatuses = {} } = status;
  const statuses = statusPath.child('allocatedResourceStatuses');
  const allocated = statusPath.child('allocatedResources');
  return [
    ...Object.entries(capacity).flatMap(([name, amount]) =>
      amountFaults(amount, statusPath.child('capacity').key(name)),
    ),
    ...Object.entries(allocatedResourceStatuses).flatMap(([name, value]) => [
      ...nameFaults(name, statuses),
      // Upstream reports the resource's name, not the unknown status.
      ...(resizeStatuses.includes(value) ? [] : [unsupportedField(statuses, name, resizeStatuses)]),
    ]),
    ...Object.entries(allocatedResources).flatMap(([name, amount]) => {
      const faults = nameFaults(name, allocated);
      return faults.length > 0 ? faults : amountFaults(amount, allocated.key(name));
    }),
  ];
}

function nameFaults(name: string, path: FieldPath): readonly FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => invalidField(path, name, detail));
  if (faults.length > 0 || name === 'storage' || !isNative(name)) return faults;
  return [unsupportedField(path, name, ['storage'])];
}

function amountFaults(amount: string, path: FieldPath): readonly FieldError[] {
  const value = Quantity.tryParse(amount)?.scaledValue(0) ?? 0n;
  return value < 0n ? [invalidField(path, Number(value), 'must be a valid resource quantity')] : [];
}
