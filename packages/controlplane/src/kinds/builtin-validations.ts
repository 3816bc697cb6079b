import { admissionregistrationValidation } from './admissionregistration/admissionregistration-validation.ts';
import { policyBindingValidation } from './admissionregistration/policy-binding-validation.ts';
import { policyValidation } from './admissionregistration/policy-validation.ts';
import { apiregistrationValidation } from './apiregistration/apiregistration-validation.ts';
import { appsValidation } from './apps/apps-validation.ts';
import { replicaStatusValidation } from './apps/replica-status-validation.ts';
import { autoscalingValidation } from './autoscaling/autoscaling-validation.ts';
import { batchValidation } from './batch/batch-validation.ts';
import type { BuiltinDefinitionsOptions } from './builtin-options.ts';
import { certificateValidation } from './certificates/certificate-validation.ts';
import { configValidation } from './core/config-validation.ts';
import { coreValidation } from './core/core-validation.ts';
import { endpointsValidation } from './core/endpoints-validation.ts';
import { limitsValidation } from './core/limits-validation.ts';
import { podValidation } from './core/pod-validation.ts';
import { serviceValidation } from './core/service-validation.ts';
import { volumeObjectValidation } from './core/volume-object-validation.ts';
import { eventValidation } from './events/event-validation.ts';
import { flowcontrolValidation } from './flowcontrol/flowcontrol-validation.ts';
import { addressValidation } from './networking/address-validation.ts';
import { networkingValidation } from './networking/networking-validation.ts';
import { rbacValidation } from './rbac/rbac-validation.ts';
import { deviceValidation } from './resource/device-validation.ts';
import { smallGroupValidation } from './small-group-validation.ts';
import { storageValidation } from './storage/storage-validation.ts';
import type { KindValidation } from './validation/kind-validation.ts';

/** Returns the validation rules of every kind, by `group/version/resource`. The key of a subresource ends with its name. */
export function builtinValidations(
  options: Pick<BuiltinDefinitionsOptions, 'allowLoopbackEndpoints'>,
): ReadonlyMap<string, KindValidation> {
  return new Map([
    ...podValidation,
    ...serviceValidation,
    ...configValidation,
    ...endpointsValidation({ allowLoopback: options.allowLoopbackEndpoints ?? false }),
    ...volumeObjectValidation,
    ...coreValidation,
    ...eventValidation,
    ...appsValidation,
    ...replicaStatusValidation,
    ...batchValidation,
    ...autoscalingValidation,
    ...networkingValidation,
    ...addressValidation,
    ...flowcontrolValidation,
    ...limitsValidation,
    ...deviceValidation,
    ...rbacValidation,
    ...storageValidation,
    ...admissionregistrationValidation,
    ...policyBindingValidation,
    ...policyValidation,
    ...apiregistrationValidation,
    ...certificateValidation,
    ...smallGroupValidation,
  ]);
}
