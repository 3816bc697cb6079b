import type { UnstructuredObject } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';

/** What an embedded cluster's node says of itself. */
const driverAnnotation = 'kubewright.dev/driver';

interface Container {
  args?: string[];
  readonly ports?: readonly { readonly name?: string }[];
  env?: { readonly name: string; readonly valueFrom: object }[];
}

/**
 * On an embedded cluster pods are processes of one machine, whose addresses they share: there an operator listens on its
 * pod's own address only, so that several replicas, or another program on :8081, are not in its way.
 */
export async function withOwnAddresses(
  client: KubernetesClient,
  { objects, signal }: { readonly objects: readonly UnstructuredObject[]; readonly signal: AbortSignal },
): Promise<readonly UnstructuredObject[]> {
  const { items } = await client.resource(Node).list({ signal });
  const isEmbedded = items.some(({ metadata }) => metadata.annotations?.[driverAnnotation] === 'process');
  return isEmbedded ? objects.map(bindToPod) : objects;
}

function bindToPod(object: UnstructuredObject): UnstructuredObject {
  if (object.kind !== 'Deployment') return object;
  const copy = structuredClone(object);
  // It was rendered from the project's own manager.yaml.
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
