import { isAlreadyExists } from '@kubewright/apimachinery';
import { Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import type { KubernetesClient } from '@kubewright/client';
import {
  type ControllerDefinition,
  enqueueForObject,
  enqueueMapped,
  requestController,
  watch,
} from '@kubewright/runtime';
import { byService, serviceLabel } from '../endpoint-slice-index.ts';
import type { ServiceZone } from './service-zone.ts';

/** Returns the controller that keeps a zone up to date with services and their EndpointSlices. */
export function clusterDns(zone: ServiceZone): ControllerDefinition {
  return requestController({
    name: 'coredns',
    for: Service,
    watches: [
      watch(Service, enqueueForObject()),
      watch(
        EndpointSlice,
        enqueueMapped<EndpointSlice>(({ namespace, labels }) => {
          const name = labels[serviceLabel];
          return name === undefined ? [] : [{ namespace, name }];
        }),
        { indexes: { service: byService } },
      ),
    ],
    reconcile: async ({ namespace = '', name }, ctx) => {
      const service = ctx.cache.lister(Service).get({ namespace, name });
      const slices = ctx.cache
        .lister(EndpointSlice)
        .list({ index: { name: 'service', value: `${namespace}/${name}` } });
      zone.set({ namespace, name }, service && { service, slices });
    },
  });
}

/** Creates the service whose address pods use as their name server, as kubeadm does. The service reserves the address. */
export async function createDnsService(client: KubernetesClient, clusterIP: string): Promise<void> {
  const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/cluster-service': 'true', 'kubernetes.io/name': 'CoreDNS' };
  const ports = [
    { name: 'dns', port: 53, protocol: 'UDP', targetPort: 53 },
    { name: 'dns-tcp', port: 53, protocol: 'TCP', targetPort: 53 },
  ] as const;
  const metadata = { name: 'kube-dns', namespace: 'kube-system', labels };
  try {
    await client.resource(Service).create(Service({ metadata, spec: { clusterIP, ports } }));
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
