import type { UnstructuredObject } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** The annotation with which an embedded cluster's node reports its driver. */
const driverAnnotation = 'kubewright.dev/driver';
/** The drivers whose pods run on this machine, as processes or in rootless containers. */
const localDrivers: readonly (string | undefined)[] = ['process', 'container'];

interface Container {
  args?: string[];
  readonly ports?: readonly { readonly name?: string }[];
  env?: { readonly name: string; readonly valueFrom: object }[];
}

/**
 * In an embedded cluster, limits the operator to the address of its pod. By default, the pods of such a cluster share the loopback
 * network of this machine, with both drivers: if replicas listened on all addresses, they would conflict with each other or with
 * another program on :8081. On the isolated network, listening on the pod's own address works as well.
 */
export async function withOwnAddresses(
  client: KubernetesClient,
  { objects, signal }: { readonly objects: readonly UnstructuredObject[]; readonly signal: AbortSignal },
): Promise<readonly UnstructuredObject[]> {
  const { items } = await client.resource(Node).list({ signal });
  const isLocal = items.some(({ metadata }) => localDrivers.includes(metadata.annotations?.[driverAnnotation]));
  return isLocal ? objects.map(bindToPod) : objects;
}

function bindToPod(object: UnstructuredObject): UnstructuredObject {
  if (object.kind !== 'Deployment') return object;
  const copy = structuredClone(object);
  // Rendered from the project's own manager.yaml.
  const { template } = copy['spec'] as { readonly template: { readonly spec: { readonly containers: Container[] } } };
  for (const container of template.spec.containers) {
    const bound = container.args?.map((arg) => arg.replace(/^(--[a-z-]+-bind-address=):/, '$1$(POD_IP):'));
    const hasWebhooks = container.ports?.some(({ name }) => name === 'webhook-server');
    const args = bound && hasWebhooks ? [...bound, '--webhook-host=$(POD_IP)'] : bound;
    if (!args || args.join() === container.args?.join()) continue;
    container.args = args;
    container.env = [
      ...(container.env ?? []),
      { name: 'POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ];
  }
  return copy;
}
