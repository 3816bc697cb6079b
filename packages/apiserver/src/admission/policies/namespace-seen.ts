import type { KubernetesObject } from '@kubewright/apimachinery';
import type { AdmissionAttributes } from '../admission-plugin.ts';
import type { ReadObject } from '../object-reader.ts';

/** Returns the `namespaceObject` of expressions; undefined for namespaces themselves and for cluster-scoped objects. */
export async function namespaceSeen(
  { definition, namespace }: AdmissionAttributes,
  read: ReadObject,
): Promise<KubernetesObject | undefined> {
  const isNamespace = definition.group === '' && definition.resource === 'namespaces';
  if (namespace === '' || isNamespace) return undefined;
  const found = await read({ group: '', resource: 'namespaces', name: namespace });
  if (!found) return undefined;
  const { managedFields: _, ...metadata } = found.metadata;
  return { ...found, metadata } satisfies KubernetesObject;
}
