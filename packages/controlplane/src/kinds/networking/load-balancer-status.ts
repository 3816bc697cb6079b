import { isIP } from 'node:net';
import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type { IngressLoadBalancerIngress, LoadBalancerIngress } from '../generated/drafts.ts';
import { type Check, enumOf, fields, optional } from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';
import { dnsSubdomain } from '../validation/rules.ts';

const hostname: Check<string> = (name = '', path) => [
  ...dnsSubdomain(name, path),
  ...(isIP(name) ? [invalidField(path, name, 'must be a DNS name, not an IP address')] : []),
];

/** Validates a load balancer address in an Ingress status. */
export const ingressAddress: Check<IngressLoadBalancerIngress> = fields<IngressLoadBalancerIngress>({
  ip: optional(ipAddress),
  hostname: optional(hostname),
});

/** Validates a load balancer address in a Service status. An address with an IP has a mode. */
export const balancerAddress: Check<LoadBalancerIngress> = (address, path) => [
  ...optional(ipAddress)(address?.ip, path.child('ip')),
  ...modeFaults(address ?? {}, path.child('ipMode')),
  ...optional(hostname)(address?.hostname, path.child('hostname')),
];

function modeFaults({ ip, ipMode }: LoadBalancerIngress, path: FieldPath): readonly FieldError[] {
  if (ipMode === undefined) return ip ? [requiredField(path, 'must be specified when `ip` is set')] : [];
  return ip
    ? enumOf('Proxy', 'VIP')(ipMode, path)
    : [forbiddenField(path, 'may not be specified when `ip` is not set')];
}
