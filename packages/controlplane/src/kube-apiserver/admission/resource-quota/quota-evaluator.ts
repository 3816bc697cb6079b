import { type KubernetesObject, Quantity } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { AdmissionAttributes } from '@kubewright/apiserver';
import { claimUsage, podUsage, serviceUsage } from '../../../usage/object-usage.ts';
import { countedResource, isOfClaims, isOfPods, isOfServices } from '../../../usage/quota-names.ts';
import { isClaimInScope, isPodInScope, type QuotaScope } from '../../../usage/quota-scopes.ts';
import type { ResourceAmounts } from '../../../usage/resource-amounts.ts';
import { missingAmounts } from './missing-amounts.ts';

/** Computes how much of a quota the objects of a resource use. */
export interface QuotaEvaluator {
  /** True for a request that can change the object's usage of a quota. */
  handles(attributes: AdmissionAttributes): boolean;
  /** True if these objects use the resource that a quota limits under this name. */
  uses(name: string): boolean;
  isInScope(object: KubernetesObject, scope: QuotaScope): boolean;
  usage(object: KubernetesObject, nowMs: number): ResourceAmounts;
  /** Returns the reason if the object must set one of the named amounts but does not; otherwise undefined. */
  missing?(object: KubernetesObject, names: readonly string[]): string | undefined;
}

/** Resources that no quota counts: objects that are not stored, and Events. */
const ignored = new Set([
  '/bindings',
  '/events',
  'authorization.k8s.io/localsubjectaccessreviews',
  'events.k8s.io/events',
]);

/** Returns the evaluator of a resource; undefined if no quota counts it. Mirrors the evaluators of kubernetes/pkg/quota/v1 (1.36). */
export function quotaEvaluator(resource: string, group: string): QuotaEvaluator | undefined {
  if (ignored.has(`${group}/${resource}`)) return undefined;
  return (group === '' ? core[resource] : undefined) ?? counter(resource, group);
}

// The server passes each evaluator only objects of one resource.
const core: Readonly<Record<string, QuotaEvaluator | undefined>> = {
  pods: {
    handles: ({ operation, subresource, object, oldObject }) =>
      subresource === ''
        ? operation === 'CREATE' || (operation === 'UPDATE' && isTerminating(object) !== isTerminating(oldObject))
        : subresource === 'resize' && operation === 'UPDATE',
    uses: isOfPods,
    isInScope: (object, scope) => isPodInScope(object as Pod, scope),
    usage: (object, nowMs) => podUsage(object as Pod, nowMs),
    missing: (object, names) => missingAmounts(object as Pod, names),
  },
  services: {
    handles: isWrite,
    uses: isOfServices,
    isInScope: () => false,
    usage: (object) => serviceUsage(object as Service),
  },
  persistentvolumeclaims: {
    handles: isWrite,
    uses: isOfClaims,
    isInScope: (object, scope) => isClaimInScope(object as PersistentVolumeClaim, scope),
    usage: (object) => claimUsage(object as PersistentVolumeClaim),
  },
};

/** Returns an evaluator that only counts objects. */
function counter(resource: string, group: string): QuotaEvaluator {
  const counted = group === '' ? resource : `${resource}.${group}`;
  const one = Quantity.of(1);
  return {
    handles: ({ operation, subresource }) => operation === 'CREATE' && subresource === '',
    uses: (name) => countedResource(name) === counted,
    isInScope: () => false,
    usage: () => ({ [`count/${counted}`]: one, ...(group === '' && { [resource]: one }) }),
  };
}

function isWrite({ operation, subresource }: AdmissionAttributes): boolean {
  return subresource === '' && (operation === 'CREATE' || operation === 'UPDATE');
}

function isTerminating(object: unknown): boolean {
  return (object as Pod | undefined)?.spec?.activeDeadlineSeconds !== undefined;
}
