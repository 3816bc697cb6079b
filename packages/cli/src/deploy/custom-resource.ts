import type { UnstructuredObject } from '@kubewright/apimachinery';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import { isUnknownKind, kindOf } from '../target/apply-objects.ts';

/** Returns a client for the objects of a CRD in its storage version, or undefined if the kind is not installed. */
export async function customResource(
  client: KubernetesClient,
  crd: UnstructuredObject,
): Promise<ResourceClient<UnstructuredObject> | undefined> {
  const { group, names, versions } = crd['spec'] as {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
  const version = versions.find(({ storage }) => storage)?.name ?? '';
  try {
    return client.resource(await kindOf(client, { apiVersion: `${group}/${version}`, kind: names.kind, metadata: {} }));
  } catch (error) {
    if (isUnknownKind(error)) return undefined;
    throw error;
  }
}
