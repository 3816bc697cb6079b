import type { UnstructuredObject } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** The annotation with which an embedded cluster's node reports its driver. */
const driverAnnotation = 'kubewright.dev/driver';
/** The drivers whose pods can share this machine's network. */
const processDrivers: readonly (string | undefined)[] = ['process', 'container'];

interface Container {
  args?: string[];
  readonly ports?: readonly { readonly name?: string }[];
  env?: { readonly name: string; readonly valueFrom: object }[];
}

/**
 * In an embedded cluster, limits the operator to the address of its pod. Pods of such clusters are
 * processes that share the machine's addresses. If replicas listened on all addresses, they would conflict with each
 * other or with another program on :8081.
 */
export async function withOwnAddresses(
  client: KubernetesClient,
  { objects, signal }: { readonly objects: readonly UnstructuredObject[]; readonly signal: AbortSignal },
): Promise<readonly UnstructuredObject[]> {
  const { items } = await client.resource(Node).list({ signal });
  const isEmbedded = items.some(({ metadata }) => processDrivers.includes(metadata.annotations?.[driverAnnotation]));
  return isEmbedded ? objects.map(bindToPod) : objects;
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
