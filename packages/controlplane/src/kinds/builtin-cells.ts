import type { ResourceDefinition } from '@kubewright/apiserver';
import { admissionregistrationCells } from './admissionregistration/admissionregistration-cells.ts';
import { appsCells } from './apps/apps-cells.ts';
import { autoscalingCells } from './autoscaling/autoscaling-cells.ts';
import { batchCells } from './batch/batch-cells.ts';
import { coreCells } from './core/core-cells.ts';
import { eventCells } from './events/event-cells.ts';
import { networkingCells } from './networking/networking-cells.ts';
import { rbacCells } from './rbac/rbac-cells.ts';
import { smallGroupCells } from './small-group-cells.ts';
import { storageCells } from './storage/storage-cells.ts';

/** Returns the functions that build the rows of `kubectl get`, by `group/version/resource`. Other resources show only name and age. */
export function builtinCells(): ReadonlyMap<string, ResourceDefinition['cells']> {
  return new Map([
    ...coreCells,
    ...eventCells,
    ...appsCells,
    ...batchCells,
    ...autoscalingCells,
    ...networkingCells,
    ...rbacCells,
    ...storageCells,
    ...admissionregistrationCells,
    ...smallGroupCells,
  ]);
}
