import type { Quantity } from '@kubewright/apimachinery';
import type { ResourceAmounts } from '../../usage/resource-amounts.ts';

/** A container, a pod or a claim, with its requests. */
export interface Subject {
  readonly type: 'Container' | 'Pod' | 'PersistentVolumeClaim';
  readonly requests: ResourceAmounts;
  readonly limits: ResourceAmounts;
}

interface Limited extends Subject {
  readonly resource: string;
  readonly enforced: Quantity;
}

/** Returns why a request or limit is too small; undefined if it is not. */
export function minConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `minimum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  if (request.compare(enforced) < 0) return `${rule}, but request is ${request}`;
  return limit && limit.compare(enforced) < 0 ? `${rule}, but limit is ${limit}` : undefined;
}

/** Returns why a limit or request is too large; undefined if it is not. */
export function maxConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!limit) return `${rule}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${rule}, but limit is ${limit}`;
  return request && request.compare(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
}

/** The same for objects without limits: only the request counts. */
export function maxRequestConstraint({ requests, type, resource, enforced }: Limited): string | undefined {
  const request = requests[resource];
  const rule = `maximum ${resource} usage per ${type} is ${enforced}`;
  if (!request) return `${rule}.  No request is specified`;
  return request.compare(enforced) > 0 ? `${rule}, but request is ${request}` : undefined;
}

/** Returns why a limit is too large compared with the request; undefined if it is not. */
export function ratioConstraint({ requests, limits, type, resource, enforced }: Limited): string | undefined {
  const [request, limit] = [requests[resource], limits[resource]];
  const rule = `${resource} max limit to request ratio per ${type} is ${enforced}`;
  if (!request || request.isZero) return `${rule}, but no request is specified or request is 0`;
  if (!limit || limit.isZero) return `${rule}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > enforced.toNumber() ? `${rule}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
