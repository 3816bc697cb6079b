import type { Random } from '@kubewright/apimachinery';
import { type AdmissionPlugin, type Authorizer, namespaceLifecycle, type Storage } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import type { RbacIndex } from '../authorization/index.ts';
import { defaultTolerationSeconds } from './default-toleration-seconds.ts';
import { nodeRestriction } from './node-restriction/index.ts';
import { priorityAdmission } from './priority.ts';
import { rbacEscalationCheck } from './rbac-escalation.ts';
import { serviceAccountAdmission } from './service-account.ts';
import { taintNodesByCondition } from './taint-nodes.ts';
/** Returns the admission plugins in upstream's order. */
export function admissionPlugins(parts: {
  readonly storage: Storage;
  readonly read: ReadObject;
  readonly random: Random;
  readonly index: RbacIndex;
  readonly authorizer: Authorizer;
}): readonly AdmissionPlugin[] {
  const { storage, read, random, index, authorizer } = parts;
  return [
    namespaceLifecycle({ storage }),
    serviceAccountAdmission({ read, random }),
    nodeRestriction({ read, authorizer }),
    taintNodesByCondition,
    priorityAdmission(read),
    defaultTolerationSeconds,
    rbacEscalationCheck({ index, authorizer }),
  ];
}
