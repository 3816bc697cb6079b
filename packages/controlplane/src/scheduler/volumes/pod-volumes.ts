import { LabelSelector, Quantity, type Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim, TopologySelectorTerm } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';
import type { Labels } from '../cluster/affinity-term.ts';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { ClusterObjects } from '../framework/cluster-view.ts';
import { SchedulingError } from '../scheduling-error.ts';
import { selectedNode } from './bound.ts';
import { findVolume, reachableFrom, requestedStorage } from './find-volume.ts';
import { storageClassOf } from './storage-class-of.ts';

/** A pod's claims: claims that are already bound, and claims still to bind. */
export interface PodClaims {
  readonly bound: readonly Stored<PersistentVolumeClaim>[];
  /** Claims to bind now, because their class waits for a pod that uses them. */
  readonly delayed: readonly Stored<PersistentVolumeClaim>[];
}

/** A claim and the volume to bind it to. */
export interface VolumeChoice {
  readonly claim: Stored<PersistentVolumeClaim>;
  readonly volume: Stored<PersistentVolume>;
}

/** The volumes to bind and the claims to provision for if the pod is assigned to a node. */
export interface PodVolumes {
  readonly bindings: readonly VolumeChoice[];
  readonly provisions: readonly Stored<PersistentVolumeClaim>[];
}

/** The reasons why a pod's volumes cannot be used on a node. */
export class VolumeConflict {
  readonly reasons: readonly string[];

  constructor(reasons: readonly string[]) {
    this.reasons = reasons;
  }
}

const nodeConflict = "node(s) didn't match PersistentVolume's node affinity";
const bindConflict = "node(s) didn't find available persistent volumes to bind";
const notEnoughSpace = 'node(s) did not have enough free storage';
const volumeMissing = 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
/** The provisioner name of classes whose volumes are created manually. */
const noProvisioner = 'kubernetes.io/no-provisioner';

/** Decides which volumes to bind and provision for a pod on a node, or returns why its volumes cannot be used there. */
export function podVolumesOn(
  node: NodeInfo,
  { bound, delayed }: PodClaims,
  objects: ClusterObjects,
): PodVolumes | VolumeConflict {
  const reasons: string[] = [];
  let missing = false;
  for (const claim of bound) {
    const volume = objects.volume(claim.spec?.volumeName ?? '');
    if (!volume) missing = true;
    else if (!reachableFrom(volume, node)) reasons.push(nodeConflict);
    if (missing || reasons.length > 0) break;
  }
  const chosen = delayed.length === 0 ? { bindings: [], provisions: [] } : choose(node, delayed, objects);
  if (typeof chosen === 'string') reasons.push(chosen);
  if (missing) reasons.push(volumeMissing);
  return typeof chosen === 'string' || reasons.length > 0 ? new VolumeConflict(reasons) : chosen;
}

function choose(
  node: NodeInfo,
  claims: readonly Stored<PersistentVolumeClaim>[],
  objects: ClusterObjects,
): PodVolumes | string {
  const provisions: Stored<PersistentVolumeClaim>[] = [];
  const toMatch: Stored<PersistentVolumeClaim>[] = [];
  for (const claim of claims) {
    const selected = claim.metadata.annotations?.[selectedNode];
    if (selected === undefined) toMatch.push(claim);
    else if (selected === node.name) provisions.push(claim);
    else return bindConflict;
  }
  const bindings: VolumeChoice[] = [];
  const taken = new Set<string>();
  for (const claim of toMatch.sort((a, b) => requestedStorage(a).compare(requestedStorage(b)))) {
    const volume = findVolume(claim, { volumes: objects.volumesOfClass(storageClassOf(claim)), node, taken });
    if (volume) {
      taken.add(volume.metadata.name);
      bindings.push({ claim, volume });
    } else provisions.push(claim);
  }
  for (const claim of provisions) {
    const obstacle = provisionObstacle(claim, node, objects);
    if (obstacle) return obstacle;
  }
  return { bindings, provisions };
}

/** Returns why no volume can be provisioned for a claim on a node, or undefined if provisioning is possible. */
function provisionObstacle(
  claim: Stored<PersistentVolumeClaim>,
  node: NodeInfo,
  objects: ClusterObjects,
): string | undefined {
  const key = `${claim.metadata.namespace}/${claim.metadata.name}`;
  const className = storageClassOf(claim);
  if (className === '') throw new SchedulingError({ what: `no class for claim "${key}"` });
  const storageClass = objects.storageClass(className);
  if (!storageClass) throw new SchedulingError({ what: `failed to find storage class "${className}"` });
  const { provisioner, allowedTopologies } = storageClass;
  if (provisioner === '' || provisioner === noProvisioner) return bindConflict;
  if (!isInTopology(allowedTopologies, node.labels)) return bindConflict;
  return hasCapacity({ claim, storageClass, node, objects }) ? undefined : notEnoughSpace;
}

function isInTopology(terms: readonly TopologySelectorTerm[] | undefined, labels: Labels): boolean {
  if (!terms?.length) return true;
  return terms.some(({ matchLabelExpressions }) => {
    if (!matchLabelExpressions?.length) return false;
    return matchLabelExpressions.every(
      ({ key, values }) => Object.hasOwn(labels, key) && values.includes(labels[key] ?? ''),
    );
  });
}

/** True if the driver has published enough capacity for the claim, or does not publish its capacity. */
function hasCapacity(options: {
  readonly claim: PersistentVolumeClaim;
  readonly storageClass: StorageClass;
  readonly node: NodeInfo;
  readonly objects: ClusterObjects;
}): boolean {
  const { claim, storageClass, node, objects } = options;
  if (claim.spec?.resources?.requests?.['storage'] === undefined) return true;
  if (objects.csiDriver(storageClass.provisioner)?.spec.storageCapacity !== true) return true;
  return objects.storageCapacities().some(({ storageClassName, capacity, maximumVolumeSize, nodeTopology }) => {
    if (storageClassName !== storageClass.metadata.name || !nodeTopology) return false;
    const limit = maximumVolumeSize ?? capacity;
    if (limit === undefined || Quantity.parse(String(limit)).compare(requestedStorage(claim)) < 0) return false;
    return LabelSelector.ofObject(nodeTopology).matches(node.labels);
  });
}
