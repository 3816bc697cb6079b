import { expect, it } from 'vitest';
import { claimStatusFaults } from './claim-status-validation.ts';

it('accepts storage and resources of other domains in the status of a claim', () => {
  const status = {
    capacity: { storage: '1Gi' },
    allocatedResources: { storage: '2Gi', 'example.com/iops': '10' },
    allocatedResourceStatuses: { storage: 'NodeResizePending', 'example.com/iops': 'ControllerResizeInProgress' },
  };
  expect(claimStatusFaults(status)).toEqual([]);
});

it('rejects other resources, unknown resize statuses and negative amounts in the status of a claim', () => {
  const faults = claimStatusFaults({
    capacity: { storage: '-1' },
    allocatedResources: { cpu: '1', storage: '-2' },
    allocatedResourceStatuses: { cpu: 'NodeResizePending', storage: 'Unknown' },
  });
  expect(faults.map(({ field, body }) => `${field}: ${body}`)).toEqual([
    'status.capacity[storage]: Invalid value: -1: must be a valid resource quantity',
    'status.allocatedResourceStatuses: Unsupported value: "cpu": supported values: "storage"',
    'status.allocatedResourceStatuses: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
    'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    'status.allocatedResources[storage]: Invalid value: -2: must be a valid resource quantity',
  ]);
});
