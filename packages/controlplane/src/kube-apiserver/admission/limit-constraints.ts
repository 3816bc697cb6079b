import type { Quantity } from '@kubewright/apimachinery';
import type { ResourceAmounts } from '../../usage/resource-amounts.ts';

/** A container, a pod or a claim with its requests and limits. */
export interface Subject {
  readonly type: 'Container' | 'Pod' | 'PersistentVolumeClaim';
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

interface Limited extends Subject {
  readonly resource: string;
  readonly enforced: Quantity;
}

/** Returns the reason if a request or limit is below the minimum; otherwise undefined. */
export function minConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `minimum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  if (request.compare(enforced) < 0) return `${rule}, but request is ${request}`;
  return limit && limit.compare(enforced) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

/** Returns the reason if a request or limit is above the maximum; otherwise undefined. */
export function maxConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${rule}, but limit is ${limit}`;
  return request && request.compare(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
}

/** Like {@link maxConstraint}, for objects without limits: checks only the request. */
export function maxRequestConstraint({ requests, type, resource, enforced }: Limited): string | undefined {
  const request = requests[resource];
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  return request.compare(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
}

/** Returns the reason if the ratio of limit to request is too large; otherwise undefined. */
export function ratioConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced}`;
  if (!request || request.isZero) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.isZero) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > enforced.toNumber() ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
