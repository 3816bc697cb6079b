import type { Clock, Random } from '@kubewright/apimachinery';
import { type AdmissionPlugin, type Authorizer, namespaceLifecycle, type Storage } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { RbacIndex } from '../authorization/index.ts';
import { certificateAdmission } from './certificate-admission.ts';
import { claimResizeAdmission } from './claim-resize.ts';
import { defaultIngressClass } from './default-ingress-class.ts';
import { defaultStorageClass } from './default-storage-class.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { deviceAdminAccess } from './device-admin-access.ts';
import { limitRanger } from './limit-ranger.ts';
import { nodeRestriction } from './node-restriction/index.ts';
import { notActedOnWarnings, type OptionalFeatures } from './not-acted-on.ts';
import { type PodSecurityOptions, podSecurityAdmission } from './pod-security/index.ts';
import { priorityAdmission } from './priority.ts';
import { rbacEscalationCheck } from './rbac-escalation.ts';
import { runtimeClassAdmission } from './runtime-class.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { taintNodesByCondition } from './taint-nodes.ts';

/** Returns the admission plugins in upstream's order. */
export function admissionPlugins(parts: {
  readonly storage: Storage;
  readonly read: ReadObject;
  readonly clock: Clock;
  readonly random: Random;
  readonly index: RbacIndex;
  readonly authorizer: Authorizer;
  readonly podSecurity: PodSecurityOptions | undefined;
  /** True if nodes run containers as processes. */
  readonly processes: boolean;
  readonly features: OptionalFeatures;
}): readonly AdmissionPlugin[] {
  const { storage, read, clock, random, index, authorizer } = parts;
  return [
    namespaceLifecycle({ storage }),
    deviceAdminAccess(read),
    limitRanger(storage),
    serviceAccountAdmission({ read, random }),
    nodeRestriction({ read, authorizer }),
    taintNodesByCondition,
    podSecurityAdmission({ read, storage, clock }, parts.podSecurity),
    priorityAdmission({ read, storage }),
    defaultTolerationSeconds,
    defaultStorageClass(storage),
    claimResizeAdmission(read),
    runtimeClassAdmission(read),
    ...certificateAdmission(authorizer),
    defaultIngressClass(storage),
    rbacEscalationCheck({ index, authorizer }),
    notActedOnWarnings(parts),
  ];
}
