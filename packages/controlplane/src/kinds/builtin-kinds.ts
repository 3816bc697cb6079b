import { admissionregistrationKinds } from './admissionregistration/admissionregistration-kinds.ts';
import { appsKinds } from './apps/apps-kinds.ts';
import { autoscalingKinds } from './autoscaling/autoscaling-kinds.ts';
import { batchKinds } from './batch/batch-kinds.ts';
import type { BuiltinKind } from './builtin-kind.ts';
import type { BuiltinDefinitionsOptions } from './builtin-options.ts';
import { certificateSigningRequests } from './certificates/certificate-signing-request.ts';
import { namespaces } from './core/namespace.ts';
import { nodes } from './core/node.ts';
import { persistentVolumes } from './core/persistent-volume.ts';
import { persistentVolumeClaims } from './core/persistent-volume-claim.ts';
import { pods } from './core/pod.ts';
import { configMaps, secrets } from './core/secret.ts';
import { services } from './core/service.ts';
import { memoryServiceAllocator } from './core/service-allocator.ts';
import { simpleCoreKinds } from './core/simple-core-kinds.ts';
import { coreEvents, newEvents } from './events/event.ts';
import { networkingKinds } from './networking/networking-kinds.ts';
import { policyKinds } from './policy/policy-kinds.ts';
import { rbacKinds } from './rbac/rbac-kinds.ts';
import { smallGroupKinds } from './small-group-kinds.ts';
import { storageKinds } from './storage/storage-kinds.ts';

/** Returns the definitions of all stored kinds. */
export function builtinKinds(options: BuiltinDefinitionsOptions): readonly BuiltinKind[] {
  return [
    pods,
    namespaces,
    nodes,
    persistentVolumes,
    persistentVolumeClaims,
    secrets,
    configMaps,
    services(options.allocator ?? memoryServiceAllocator(options)),
    ...simpleCoreKinds,
    coreEvents,
    newEvents,
    ...appsKinds,
    ...batchKinds,
    ...autoscalingKinds,
    ...networkingKinds,
    ...policyKinds,
    ...rbacKinds,
    ...storageKinds,
    certificateSigningRequests,
    ...admissionregistrationKinds,
    ...smallGroupKinds,
  ];
}
