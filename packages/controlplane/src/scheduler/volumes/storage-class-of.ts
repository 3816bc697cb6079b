import type { KubernetesObject } from '@kubewright/apimachinery';

const betaAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Returns the storage class name of a claim or volume. The legacy annotation takes precedence over the field. */
export function storageClassOf(
  object: KubernetesObject & { readonly spec?: { readonly storageClassName?: string } },
): string {
  return object.metadata.annotations?.[betaAnnotation] ?? object.spec?.storageClassName ?? '';
}
