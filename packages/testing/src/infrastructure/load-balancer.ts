import type { ObjectKey, Stored } from '@kubewright/apimachinery';
import { Service } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** Writes the address of a Service's load balancer, as a cloud controller would. */
export function assignAddress(
  client: KubernetesClient,
  { key, ip }: { readonly key: ObjectKey; readonly ip: string },
): Promise<Stored<Service>> {
  const body = { status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } } };
  return client.resource(Service).status.patch(key, { type: 'merge', body });
}
