import { ageOf } from '@kubewright/apiserver/internal';
import type { Service } from '../generated/drafts.ts';
import { labelText, orNone } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

/** Table row of a Service: `web  NodePort  10.96.0.1  <none>  80:30080/TCP  5d …`. */
export const serviceCells: CellsEntry = cellsOf<Service>('/v1/services', (service, nowMs) => {
  const { metadata, spec } = service;
  const ports = (spec.ports ?? []).map(({ port, nodePort, protocol }) =>
    nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`,
  );
  return [
    metadata.name,
    spec.type ?? '',
    orNone(spec.clusterIPs?.[0]),
    externalText(service),
    orNone(ports.join(',')),
    ageOf(metadata.creationTimestamp, nowMs),
    labelText(spec.selector),
  ];
});

function externalText(service: Service): string {
  const { spec } = service;
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return orNone(external.join(','));
    case 'LoadBalancer':
      return [...loadBalancerAddresses(service.status.loadBalancer), ...external].join(',') || '<pending>';
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** Returns the addresses in a load balancer's status, sorted and without duplicates. */
export function loadBalancerAddresses(status: {
  readonly ingress?:
    | readonly { readonly ip?: string | undefined; readonly hostname?: string | undefined }[]
    | undefined;
}): readonly string[] {
  const addresses = (status.ingress ?? []).map(({ ip, hostname }) => ip || hostname || '');
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}
