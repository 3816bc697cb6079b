import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { compareResourceVersions, defined } from '@kubewright/apimachinery/internal';
import type { RequestContext } from '@kubewright/runtime';
import type { NodeInfo } from '../cluster/node-info.ts';
import { SchedulingError } from '../scheduling-error.ts';
import type { AssumedObjects } from './assumed-objects.ts';
import { boundByController, isFullyBound, isReservedFor, selectedNode } from './bound.ts';
import { reachableFrom } from './find-volume.ts';
import type { PodVolumes } from './pod-volumes.ts';

/**
 * The decision about a pod's volumes, and the objects to write for it. Each object is replaced by its stored version once
 * written.
 */
export interface VolumeReservation {
  readonly nodeName: string;
  readonly bindings: { volume: Stored<PersistentVolume>; readonly claim: Stored<PersistentVolumeClaim> }[];
  readonly provisions: Stored<PersistentVolumeClaim>[];
}

/** Options for {@link VolumeBinder}. */
export interface VolumeBinderOptions {
  readonly volumes: AssumedObjects<PersistentVolume>;
  readonly claims: AssumedObjects<PersistentVolumeClaim>;
}

/** Binds existing volumes to a pod's claims, and requests new volumes for the other claims on the chosen node. */
export class VolumeBinder {
  readonly #volumes: AssumedObjects<PersistentVolume>;
  readonly #claims: AssumedObjects<PersistentVolumeClaim>;

  constructor({ volumes, claims }: VolumeBinderOptions) {
    this.#volumes = volumes;
    this.#claims = claims;
  }

  /** Reserves volumes for a pod's claims before anything is written, so that the next pod does not get the same volumes. */
  reserve(nodeName: string, { bindings, provisions }: PodVolumes): VolumeReservation {
    const reserved = bindings.map(({ volume, claim }) => ({ volume: boundTo(volume, claim), claim }));
    for (const { volume } of reserved) this.#volumes.assume(volume);
    const annotated = provisions.map((claim) => withSelectedNode(claim, nodeName));
    for (const claim of annotated) this.#claims.assume(claim);
    return { nodeName, bindings: reserved, provisions: annotated };
  }

  /** Releases the objects of a reservation that were not written. */
  release({ bindings, provisions }: VolumeReservation): void {
    for (const { volume } of bindings) this.#volumes.restore(volume);
    for (const claim of provisions) this.#claims.restore(claim);
  }

  /** Writes a reservation. The volume controller then completes the bindings, and a provisioner creates the missing volumes. */
  async write({ bindings, provisions }: VolumeReservation, { client, signal }: RequestContext): Promise<void> {
    for (const binding of bindings) {
      binding.volume = await client.resource(PersistentVolume).update(binding.volume, { signal });
    }
    for (const [i, claim] of provisions.entries()) {
      provisions[i] = await client.resource(PersistentVolumeClaim).update(claim, { signal });
    }
  }
}

/** The objects that {@link isBound} reads. */
export interface BindingObjects {
  readonly node: NodeInfo | undefined;
  readonly volume: (name: string) => Stored<PersistentVolume> | undefined;
  readonly claim: (claim: Stored<PersistentVolumeClaim>) => Stored<PersistentVolumeClaim> | undefined;
}

/**
 * True once all claims of a reservation are bound.
 *
 * @throws SchedulingError (KW5801) if they can no longer be bound; the pod must then be scheduled again.
 */
export function isBound({ nodeName, bindings, provisions }: VolumeReservation, objects: BindingObjects): boolean {
  const { node } = objects;
  if (!node) throw new SchedulingError({ what: `failed to get node "${nodeName}": node "${nodeName}" not found` });
  const check = (volume: Stored<PersistentVolume>): void => {
    if (reachableFrom(volume, node)) return;
    const what = `pv "${volume.metadata.name}" node affinity doesn't match node "${nodeName}": no matching NodeSelectorTerms`;
    throw new SchedulingError({ what });
  };
  for (const { volume: written, claim: wanted } of bindings) {
    const volume = objects.volume(written.metadata.name);
    const claim = objects.claim(wanted);
    if (!volume || !claim)
      throw new SchedulingError({ what: `failed to check binding: ${missing(volume, written, wanted)}` });
    if (isOlder(volume, written)) return false;
    check(volume);
    if (!volume.spec?.claimRef?.uid)
      throw new SchedulingError({ what: `ClaimRef got reset for pv "${volume.metadata.name}"` });
    if (!isFullyBound(claim)) return false;
  }
  for (const written of provisions) {
    const { name } = written.metadata;
    const claim = objects.claim(written);
    if (!claim)
      throw new SchedulingError({
        what: `failed to check provisioning pvc: persistentvolumeclaims "${name}" not found`,
      });
    if (isOlder(claim, written)) return false;
    if (claim.metadata.annotations?.[selectedNode] !== nodeName)
      throw new SchedulingError({ what: `provisioning failed for PVC "${name}"` });
    const volume = claim.spec?.volumeName ? objects.volume(claim.spec.volumeName) : undefined;
    if (volume) check(volume);
    if (!volume || !isFullyBound(claim)) return false;
  }
  return true;
}

function missing(
  volume: Stored<PersistentVolume> | undefined,
  written: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim>,
): string {
  if (!volume) return `persistentvolumes "${written.metadata.name}" not found`;
  return `persistentvolumeclaims "${claim.metadata.namespace}/${claim.metadata.name}" not found`;
}

function isOlder(cached: Stored<KubernetesObject>, written: Stored<KubernetesObject>): boolean {
  return (compareResourceVersions(cached.metadata.resourceVersion, written.metadata.resourceVersion) ?? 0) < 0;
}

function boundTo(volume: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): Stored<PersistentVolume> {
  const { namespace, name, uid, resourceVersion } = claim.metadata;
  const { claimRef: present } = volume.spec ?? {};
  const isSame = present?.uid === uid && present?.name === name && present?.namespace === namespace;
  const reference = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    namespace: namespace ?? '',
    name,
    uid,
    resourceVersion,
  };
  const annotations = isReservedFor(volume, claim)
    ? volume.metadata.annotations
    : {
        ...volume.metadata.annotations,
        [boundByController]: volume.metadata.annotations?.[boundByController] ?? 'yes',
      };
  return {
    ...volume,
    metadata: { ...volume.metadata, ...defined({ annotations }) },
    spec: { ...volume.spec, claimRef: isSame ? present : reference },
  };
}

function withSelectedNode(claim: Stored<PersistentVolumeClaim>, nodeName: string): Stored<PersistentVolumeClaim> {
  const annotations = { ...claim.metadata.annotations, [selectedNode]: nodeName };
  return { ...claim, metadata: { ...claim.metadata, annotations } };
}
