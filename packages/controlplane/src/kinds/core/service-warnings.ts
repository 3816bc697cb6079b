import type { Service } from '../generated/drafts.ts';

const oldHints = 'service.kubernetes.io/topology-aware-hints';

/** Returns warnings about deprecated fields, and about fields that the Service's type ignores. */
export function serviceWarnings({ metadata, spec }: Service): readonly string[] {
  const warnings: string[] = [];
  if (metadata.annotations?.[oldHints] !== undefined)
    warnings.push(`annotation ${oldHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  const hasExternalIps = (spec.externalIPs ?? []).length > 0;
  const isHeadless = spec.clusterIP === 'None';
  if (isHeadless) {
    if (spec.loadBalancerIP) warnings.push('spec.loadBalancerIP is ignored for headless services');
    if (hasExternalIps) warnings.push('spec.externalIPs is ignored for headless services');
    if (spec.sessionAffinity !== 'None') warnings.push('spec.SessionAffinity is ignored for headless services');
  } else if (hasExternalIps && spec.type !== 'ExternalName')
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  if (spec.type === 'ExternalName' && hasExternalIps)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && spec.externalName)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}
