import { ageOf } from '@kubewright/apiserver/internal';
import { loadBalancerAddresses } from '../core/service-cells.ts';
import type { Ingress, IngressClass, IPAddress, NetworkPolicy, ServiceCIDR } from '../generated/drafts.ts';
import { orNone, selectorText } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const group = 'networking.k8s.io/v1';

/** Table rows of the networking group. */
export const networkingCells: readonly CellsEntry[] = [
  cellsOf<IngressClass>(`${group}/ingressclasses`, ({ metadata, spec }, nowMs) => {
    const { parameters } = spec;
    const kind = parameters?.apiGroup ? `${parameters.kind}.${parameters.apiGroup}` : parameters?.kind;
    const isDefault = metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      spec.controller ?? '',
      parameters ? `${kind}/${parameters.name}` : '<none>',
      ageOf(metadata.creationTimestamp, nowMs),
    ];
  }),
  cellsOf<Ingress>(`${group}/ingresses`, ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    orNone(spec.ingressClassName),
    hostsText((spec.rules ?? []).map(({ host }) => host ?? '')),
    loadBalancerAddresses(status.loadBalancer).join(','),
    (spec.tls ?? []).length > 0 ? '80, 443' : '80',
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<IPAddress>(`${group}/ipaddresses`, ({ metadata, spec }, nowMs) => {
    const { parentRef } = spec;
    const resource = parentRef?.group ? `${parentRef.resource}.${parentRef.group}` : (parentRef?.resource ?? '');
    const parts = [resource.toLowerCase(), parentRef?.namespace, parentRef?.name].filter(Boolean);
    // As in upstream, the row has one more cell than there are columns.
    return [metadata.name, parentRef ? parts.join('/') : '<none>', ageOf(metadata.creationTimestamp, nowMs)];
  }),
  cellsOf<NetworkPolicy>(`${group}/networkpolicies`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    selectorText(spec.podSelector),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<ServiceCIDR>(`${group}/servicecidrs`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    (spec.cidrs ?? []).join(','),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
];

function hostsText(rules: readonly string[]): string {
  const hosts: string[] = [];
  for (const host of rules) {
    if (hosts.length === 3) return `${hosts.join(',')} + ${rules.length - 3} more...`;
    if (host !== '') hosts.push(host);
  }
  return hosts.join(',') || '*';
}
