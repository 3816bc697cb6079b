import { admissionregistrationDefaults } from './admissionregistration/admissionregistration-defaults.ts';
import { apiregistrationDefaults } from './apiregistration/apiregistration-defaults.ts';
import { appsDefaults } from './apps/apps-defaults.ts';
import { autoscalingDefaults } from './autoscaling/autoscaling-defaults.ts';
import { batchDefaults } from './batch/batch-defaults.ts';
import { coreDefaults } from './core/core-defaults.ts';
import { discoveryDefaults } from './discovery/discovery-defaults.ts';
import { flowcontrolDefaults } from './flowcontrol/flowcontrol-defaults.ts';
import { networkingDefaults } from './networking/networking-defaults.ts';
import { rbacDefaults } from './rbac/rbac-defaults.ts';
import { resourceDefaults } from './resource/resource-defaults.ts';
import { schedulingDefaults } from './scheduling/scheduling-defaults.ts';
import { storageDefaults } from './storage/storage-defaults.ts';
import type { StructDefaults } from './wire/wire-types.ts';

/** Returns the defaults of every built-in structure of release 1.36. Groups that are not listed have none. */
export function builtinDefaults(): ReadonlyMap<string, StructDefaults> {
  return new Map([
    ...coreDefaults,
    ...appsDefaults,
    ...batchDefaults,
    ...autoscalingDefaults,
    ...networkingDefaults,
    ...rbacDefaults,
    ...schedulingDefaults,
    ...storageDefaults,
    ...admissionregistrationDefaults,
    ...discoveryDefaults,
    ...flowcontrolDefaults,
    ...resourceDefaults,
    ...apiregistrationDefaults,
  ]);
}
