import { Quantity } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { podResources } from './pod-resources.ts';
import type { ResourceAmounts } from './resource-amounts.ts';

const one: Quantity = Quantity.of(1);
const nativePrefix = 'kubernetes.io/';

/** Returns the quota usage of a pod. Pods that have ended or are past their deletion deadline count only towards `count/pods`. */
export function podUsage(pod: Pod, nowMs: number): ResourceAmounts {
  const result: Record<string, Quantity> = { 'count/pods': one };
  const deadlineMs = deletionDeadlineMs(pod);
  const isEnded = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  if (!pod.spec || isEnded || (deadlineMs !== undefined && nowMs > deadlineMs)) return result;
  result['pods'] = one;
  for (const [name, amount] of Object.entries(podResources(pod.spec, 'requests'))) {
    const isNative = !name.includes('/') || name.includes(nativePrefix);
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')) {
      result[name] = amount;
      result[`requests.${name}`] = amount;
    } else if (!isNative) {
      result[`requests.${name}`] = amount;
    }
  }
  for (const [name, amount] of Object.entries(podResources(pod.spec, 'limits'))) {
    if (name === 'cpu' || name === 'memory' || name === 'ephemeral-storage') result[`limits.${name}`] = amount;
  }
  return result;
}

/** Returns the time, in milliseconds since the epoch, after which a pod that is being deleted counts only towards `count/pods`. */
export function deletionDeadlineMs({ metadata }: Pod): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return undefined;
  return Date.parse(deletionTimestamp) + Number(deletionGracePeriodSeconds) * 1000;
}

/** Returns the quota usage of a Service. A load balancer also uses node ports, unless it opts out. */
export function serviceUsage({ spec }: Service): ResourceAmounts {
  const ports = spec?.ports ?? [];
  const isBalancer = spec?.type === 'LoadBalancer';
  const allocates = spec?.type === 'NodePort' || (isBalancer && spec.allocateLoadBalancerNodePorts !== false);
  const nodePorts = allocates ? ports.length : isBalancer ? ports.filter(({ nodePort }) => nodePort).length : 0;
  return {
    'count/services': one,
    services: one,
    'services.loadbalancers': isBalancer ? one : Quantity.zero,
    'services.nodeports': Quantity.of(nodePorts),
  };
}

/** Returns the quota usage of a claim, in total and for its storage class. */
export function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): ResourceAmounts {
  const className = metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
  const prefix = `${className}.storageclass.storage.k8s.io/`;
  const result: Record<string, Quantity> = { persistentvolumeclaims: one, 'count/persistentvolumeclaims': one };
  if (className !== '') result[`${prefix}persistentvolumeclaims`] = one;
  const requested = spec?.resources?.requests?.['storage'];
  if (requested === undefined) return result;
  const allocated = status?.allocatedResources?.['storage'];
  let storage = wholeBytes(Quantity.parse(requested));
  if (allocated !== undefined && Quantity.parse(allocated).compare(storage) > 0) {
    storage = wholeBytes(Quantity.parse(allocated));
  }
  result['requests.storage'] = storage;
  if (className !== '') result[`${prefix}requests.storage`] = storage;
  return result;
}

function wholeBytes(amount: Quantity): Quantity {
  const rounded = Quantity.of(amount.value());
  return rounded.equals(amount) ? amount : rounded;
}
