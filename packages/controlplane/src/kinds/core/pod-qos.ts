import type { PodSpec, ResourceRequirements } from '../generated/drafts.ts';
import { billionthsOf } from '../wire/quantity.ts';

const qosResources = ['cpu', 'memory'] as const;

/**
 * Returns a pod's quality-of-service class. It is `Guaranteed` if every container has limits for CPU and memory and
 * equal requests, and `BestEffort` if no container has a request or limit for CPU or memory. Otherwise, it is
 * `Burstable`. If pod-level resources are set, only these count.
 */
export function qosClassOf(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const parts = spec.resources
    ? [spec.resources]
    : [...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ resources }) => resources);
  if (parts.every((resources) => qosResources.every((name) => !hasRequest(resources, name)))) return 'BestEffort';
  return parts.every((resources) => qosResources.every((name) => isFixed(resources, name)))
    ? 'Guaranteed'
    : 'Burstable';
}

function amount(list: Readonly<Record<string, string>> | undefined, name: string): bigint {
  return billionthsOf(list?.[name] ?? '0');
}

function hasRequest(resources: ResourceRequirements, name: string): boolean {
  return amount(resources.requests, name) > 0n || amount(resources.limits, name) > 0n;
}

function isFixed(resources: ResourceRequirements, name: string): boolean {
  const limit = amount(resources.limits, name);
  return limit > 0n && amount(resources.requests, name) === limit;
}
