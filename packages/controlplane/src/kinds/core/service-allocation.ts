import { type FieldError, invalid, invalidField } from '@kubewright/apimachinery';
import type { Service, ServicePort, ServiceSpec } from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { AllocationError, type ServiceAllocator } from './service-allocator.ts';
import { initIpFamilies, keepsDualStackPreference } from './service-families.ts';

interface AllocationContext {
  readonly allocator: ServiceAllocator;
  readonly dryRun: boolean;
}

/** Allocates the addresses, IP families and node ports of a new Service. */
export function allocateForCreate(service: Service, context: AllocationContext): void {
  const { spec } = service;
  pairClusterIps(spec);
  if (needsClusterIp(spec)) {
    initIpFamilies(service);
    if (spec.clusterIP !== 'None') allocateClusterIp(service, context);
  }
  allocateNodePorts(service, { ...context, kept: new Set() });
}

/**
 * Updates the allocations of a Service: keeps existing allocations, adds missing ones, and drops allocations that its new type
 * does not use.
 */
export function allocateForUpdate(service: Service, context: AllocationContext & { readonly old: Service }): void {
  const { spec } = service;
  const { old } = context;
  inheritClusterIps(spec, old.spec);
  followClusterIp(spec, old.spec);
  dropFieldsUnusedByType(service, old);
  if (needsClusterIp(spec)) {
    if (old.spec.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.spec.ipFamilyPolicy;
    if (old.spec.ipFamilies) spec.ipFamilies ??= [...old.spec.ipFamilies];
    if (!keepsDualStackPreference(spec, old.spec)) initIpFamilies(service);
    // An existing address is kept, because validation rejects any other address. A Service without an address gets a new address.
    const isKept = Boolean(spec.clusterIP) && Boolean(old.spec.clusterIP) && needsClusterIp(old.spec);
    if (spec.clusterIP !== 'None' && !isKept) allocateClusterIp(service, context);
  } else {
    delete spec.internalTrafficPolicy;
  }
  inheritNodePorts(spec, old.spec);
  allocateNodePorts(service, { ...context, kept: nodePortsOf(old.spec) });
}

function needsClusterIp(spec: ServiceSpec): boolean {
  return spec.type !== 'ExternalName';
}

function needsNodePorts(spec: ServiceSpec): boolean {
  if (spec.type === 'NodePort') return true;
  return spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false;
}

/** Derives `clusterIPs` from `clusterIP` if only `clusterIP` is set. */
function pairClusterIps(spec: ServiceSpec): void {
  if (spec.clusterIP && spec.clusterIPs === undefined) spec.clusterIPs = [spec.clusterIP];
}

/**
 * Applies a change of `clusterIP` to `clusterIPs`, for clients that know only `clusterIP`. Mirrors
 * `normalizeClusterIPs` (1.36).
 */
function followClusterIp(spec: ServiceSpec, old: ServiceSpec): void {
  const before = old.clusterIPs ?? [];
  if (before.length > 0 && isEmpty(spec.clusterIPs) && (spec.clusterIP ?? '') === (old.clusterIP ?? '')) {
    spec.clusterIPs = [...before];
  }
  if ((spec.clusterIP ?? '') === (old.clusterIP ?? '') || !sameAddresses(spec.clusterIPs, before)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

function sameAddresses(list: readonly string[] | null | undefined, before: readonly string[]): boolean {
  const now = list ?? [];
  return now.length === before.length && now.every((address, index) => address === before[index]);
}

/** Keeps the addresses if an update omits them. */
function inheritClusterIps(spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsClusterIp(spec) || !needsClusterIp(old)) return;
  if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
  if (isEmpty(spec.clusterIPs) && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
}

function allocateClusterIp(service: Service, context: AllocationContext): void {
  const { spec } = service;
  const requested = spec.clusterIP || undefined;
  try {
    spec.clusterIP = context.allocator.takeIp({ requested, dryRun: context.dryRun });
    spec.clusterIPs = [spec.clusterIP];
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    const message =
      requested === undefined
        ? `failed to allocate IP: ${error.message}`
        : `failed to allocate IP ${requested}: ${error.message}`;
    rejectAllocation(service, invalidField('spec.clusterIPs', spec.clusterIPs ?? [], message));
  }
}

function allocateNodePorts(
  service: Service,
  context: AllocationContext & { readonly kept: ReadonlySet<number> },
): void {
  const { spec } = service;
  if (!needsNodePorts(spec)) return;
  const own = new Map<string, number>();
  for (const [index, port] of (spec.ports ?? []).entries()) {
    const shared = own.get(`${port.port}`);
    port.nodePort = port.nodePort || shared || 0;
    if (port.nodePort === 0 || !(context.kept.has(port.nodePort) || port.nodePort === shared)) {
      port.nodePort = takeNodePort(service, { ...context, port, index });
    }
    // Ports that differ only in their protocol may share a node port.
    own.set(`${port.port}`, port.nodePort);
  }
  if (spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local' && !spec.healthCheckNodePort) {
    spec.healthCheckNodePort = context.allocator.takeNodePort({ dryRun: context.dryRun });
  }
}

function takeNodePort(
  service: Service,
  context: AllocationContext & { readonly port: ServicePort; readonly index: number },
): number {
  const requested = context.port.nodePort || undefined;
  try {
    return context.allocator.takeNodePort({ requested, dryRun: context.dryRun });
  } catch (error) {
    if (!(error instanceof AllocationError)) throw error;
    return rejectAllocation(
      service,
      invalidField(`spec.ports[${context.index}].nodePort`, requested ?? 0, error.message),
    );
  }
}

function nodePortsOf(spec: ServiceSpec): ReadonlySet<number> {
  return new Set((spec.ports ?? []).map(({ nodePort }) => nodePort ?? 0).filter((port) => port !== 0));
}

/** Keeps the node ports of ports that are otherwise unchanged. */
function inheritNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  if (!needsNodePorts(spec) || !needsNodePorts(old)) return;
  const before = new Map((old.ports ?? []).map((port) => [`${port.protocol}/${port.port}`, port.nodePort]));
  for (const port of spec.ports ?? []) port.nodePort ||= before.get(`${port.protocol}/${port.port}`);
}

/**
 * Drops fields that the new type does not use. Fields that the client changed in the same request stay, so that validation reports
 * them.
 */
function dropFieldsUnusedByType(service: Service, old: Service): void {
  const { spec } = service;
  const before = old.spec;
  if (needsClusterIp(before) && !needsClusterIp(spec)) {
    if ((spec.clusterIP ?? '') === (before.clusterIP ?? '') || !spec.clusterIP) {
      delete spec.clusterIP;
      delete spec.clusterIPs;
    }
    if (String(spec.ipFamilies) === String(before.ipFamilies)) delete spec.ipFamilies;
    if (spec.ipFamilyPolicy === before.ipFamilyPolicy) delete spec.ipFamilyPolicy;
  }
  if (needsNodePorts(before) && !needsNodePorts(spec)) {
    const ports = nodePortsOf(before);
    for (const port of spec.ports ?? []) if (ports.has(port.nodePort ?? 0)) delete port.nodePort;
  }
  if (spec.healthCheckNodePort === before.healthCheckNodePort && spec.externalTrafficPolicy !== 'Local')
    delete spec.healthCheckNodePort;
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    if (spec.allocateLoadBalancerNodePorts === before.allocateLoadBalancerNodePorts)
      delete spec.allocateLoadBalancerNodePorts;
    if (spec.loadBalancerClass === before.loadBalancerClass) delete spec.loadBalancerClass;
    service.status.loadBalancer = {};
  }
  const outside = spec.type === 'NodePort' || spec.type === 'LoadBalancer' || (spec.externalIPs ?? []).length > 0;
  if (!outside && spec.externalTrafficPolicy === before.externalTrafficPolicy) delete spec.externalTrafficPolicy;
}

/** Rejects a Service whose address or port cannot be allocated. */
function rejectAllocation(service: Service, fault: FieldError): never {
  throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', [fault]);
}
