import type { KubernetesObject } from '@kubewright/apimachinery';

const betaAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Returns the name of a claim's or a volume's storage class, from the annotation that preceded the field if present. */
export function storageClassOf(
  object: KubernetesObject & { readonly spec?: { readonly storageClassName?: string } },
): string {
  return object.metadata.annotations?.[betaAnnotation] ?? object.spec?.storageClassName ?? '';
}
