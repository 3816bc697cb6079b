import type { Service } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Default duration of `sessionAffinity: ClientIP`, in seconds. */
const clientIpAffinitySeconds = 10_800;

/** Defaults of Services. Cluster IPs and node ports are allocated, not defaulted. */
export const serviceDefaults: readonly StructDefaultsEntry[] = [defaultsOf<Service>('v1.Service', defaultService)];

function defaultService(service: Service): void {
  const { spec, status } = service;
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: clientIpAffinitySeconds } };
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  const outside = spec.type === 'NodePort' || spec.type === 'LoadBalancer';
  if (outside || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0)) {
    spec.externalTrafficPolicy ||= 'Cluster';
  }
  if (outside || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of status.loadBalancer.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
}
