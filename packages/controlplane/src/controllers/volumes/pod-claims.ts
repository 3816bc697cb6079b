import { controllerOf } from '@kubewright/apimachinery';
import type { PersistentVolumeClaim, Pod, Volume } from '@kubewright/apimachinery/core/v1';
import type { IndexFunc } from '@kubewright/runtime';

/**
 * Returns the name of a volume's claim: the claim that the volume names, or the claim created for an ephemeral volume.
 * Returns undefined for other volumes.
 */
export function claimNameOf(pod: Pod, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral && `${pod.metadata.name}-${volume.name}`;
}

/** Returns the names of the claims that a pod's volumes use. */
export function claimNamesOf(pod: Pod): readonly string[] {
  return (pod.spec?.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
}

/** Indexes pods by the claims that they use, as `namespace/name`. */
export const byClaim: IndexFunc<Pod> = ({ namespace, object }) =>
  claimNamesOf(object).map((name) => `${namespace}/${name}`);

/** Returns the {@link byClaim} index value of a claim. */
export function claimKey({ metadata }: PersistentVolumeClaim): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** True if a claim was created for an ephemeral volume of this pod. */
export function isEphemeralClaimOf(claim: PersistentVolumeClaim, pod: Pod): boolean {
  return claim.metadata.namespace === pod.metadata.namespace && controllerOf(claim)?.uid === pod.metadata.uid;
}
