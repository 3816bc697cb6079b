import { isIPv6 } from 'node:net';
import { type FieldError, FieldPath, invalid, invalidField, unsupportedField } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import type { Service, ServiceSpec } from '../generated/drafts.ts';
import { serviceAddressFaults } from './service-address-validation.ts';

const spec = FieldPath.of('spec');
/** The only IP family of the cluster's service addresses. */
const clusterFamily = 'IPv4';
const families = [clusterFamily, 'IPv6'];

/**
 * Sets a Service's IP families and family policy. Mirrors `initIPFamilyFields` (1.36) in a single-stack cluster.
 *
 * @throws StatusError 422 if the addresses are invalid, or the Service requests a family that the cluster does not have.
 */
export function initIpFamilies(service: Service): void {
  const { spec: wanted } = service;
  // The checks below rely on well-formed addresses.
  reject(service, serviceAddressFaults(wanted));
  const isHeadless = wanted.clusterIP === 'None';
  const hasSelector = Object.keys(wanted.selector ?? {}).length > 0;
  wanted.ipFamilyPolicy ??= isHeadless && !hasSelector ? 'RequireDualStack' : 'SingleStack';
  reject(service, [...policyFaults(wanted), ...inferFamilies(wanted)]);
  if (isHeadless && !hasSelector) {
    // The endpoints of this Service may have addresses of both families, regardless of the cluster's family.
    const families = wanted.ipFamilies?.length ? wanted.ipFamilies : [clusterFamily];
    wanted.ipFamilies = families;
    if (wanted.ipFamilyPolicy !== 'SingleStack' && families.length === 1) {
      families.push(families[0] === 'IPv4' ? 'IPv6' : 'IPv4');
    }
    return;
  }
  reject(service, clusterFaults(wanted));
  if (!wanted.ipFamilies?.length) wanted.ipFamilies = [clusterFamily];
}

/**
 * True if an update leaves the addresses of a Service with the policy `PreferDualStack` unchanged. Unchanged addresses
 * are not checked again.
 */
export function keepsDualStackPreference(wanted: ServiceSpec, old: ServiceSpec): boolean {
  const isPreferred = wanted.ipFamilyPolicy === 'PreferDualStack' && old.ipFamilyPolicy === 'PreferDualStack';
  return isPreferred && sameJson(wanted.clusterIPs, old.clusterIPs) && sameJson(wanted.ipFamilies, old.ipFamilies);
}

function policyFaults({ ipFamilyPolicy, clusterIPs = [], ipFamilies = [] }: ServiceSpec): readonly FieldError[] {
  if (ipFamilyPolicy !== 'SingleStack') return [];
  const fault = (what: string): FieldError =>
    invalidField(
      spec.child('ipFamilyPolicy'),
      ipFamilyPolicy,
      `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`,
    );
  return [
    ...(clusterIPs?.length === 2 ? [fault('cluster IPs')] : []),
    ...(ipFamilies?.length === 2 ? [fault('IP families')] : []),
  ];
}

/** Adds the families of addresses that the client chose. */
function inferFamilies(wanted: ServiceSpec): readonly FieldError[] {
  const faults: FieldError[] = [];
  for (const [index, ip] of (wanted.clusterIPs ?? []).entries()) {
    if (ip === 'None') break;
    if (index < (wanted.ipFamilies?.length ?? 0)) continue;
    const family = isIPv6(ip) ? 'IPv6' : 'IPv4';
    if (family === clusterFamily) {
      wanted.ipFamilies = [...(wanted.ipFamilies ?? []), family];
    } else {
      const at = spec.child('clusterIPs').index(index);
      faults.push(invalidField(at, wanted.clusterIPs ?? [], `${family} is not configured on this cluster`));
    }
  }
  return faults;
}

function clusterFaults({ ipFamilyPolicy, ipFamilies }: ServiceSpec): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (ipFamilyPolicy === 'RequireDualStack') {
    const why = 'this cluster is not configured for dual-stack services';
    faults.push(invalidField(spec.child('ipFamilyPolicy'), ipFamilyPolicy, why));
  }
  for (const [index, family] of (ipFamilies ?? []).entries()) {
    if (family === clusterFamily) continue;
    const at = spec.child('ipFamilies').index(index);
    if (!families.includes(family)) faults.push(unsupportedField(at, family, families));
    else faults.push(invalidField(at, family, 'not configured on this cluster'));
  }
  return faults;
}

function reject(service: Service, faults: readonly FieldError[]): void {
  if (faults.length > 0) throw invalid({ group: '', kind: 'Service' }, service.metadata.name ?? '', faults);
}
