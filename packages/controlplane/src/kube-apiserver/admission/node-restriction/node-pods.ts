import { type KubernetesObject, notFound } from '@kubewright/apimachinery';
import { sameJson } from '@kubewright/apimachinery/internal';
import {
  configMapNames,
  isMirrorPod,
  type ProjectedSource,
  type ReferringPod,
  secretNames,
  type Volume,
} from '../../authorization/node/pod-references.ts';
import { type NodeWrite, quoted, rejection } from './node-write.ts';

type StoredPod = ReferringPod & Pick<KubernetesObject, 'metadata'>;

/** Allows a node only to create its own mirror pods and to delete its own pods. */
export async function admitPod(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const { operation, oldObject } = attributes;
  if (operation === 'CREATE') return admitPodCreation(write);
  if (operation !== 'DELETE') {
    throw rejection(
      write,
      `unexpected operation ${quoted(operation)}, node ${quoted(node)} can only create and delete mirror pods`,
    );
  }
  // Admission runs twice for a DELETE, first without the object. For a DELETECOLLECTION, it runs only with the object.
  if (oldObject === undefined || nodeOf(oldObject) === node) return;
  throw rejection(write, `node ${quoted(node)} can only delete pods with spec.nodeName set to itself`);
}

/** Allows a node to write the status of pods bound to it, except for fields that other components manage. */
export async function admitPodStatus(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const { operation, oldObject, object } = attributes;
  if (operation !== 'UPDATE') throw rejection(write, `unexpected operation ${quoted(operation)}`);
  const before = oldObject as StoredPod | undefined;
  const after = object as unknown as StoredPod | undefined;
  if (nodeOf(before) !== node) {
    throw rejection(write, `node ${quoted(node)} can only update pod status for pods with spec.nodeName set to itself`);
  }
  if (!sameJson(before?.metadata.labels ?? {}, after?.metadata.labels ?? {})) {
    throw rejection(write, `node ${quoted(node)} cannot update labels through pod status`);
  }
  const claims = (pod: StoredPod | undefined) => pod?.status?.resourceClaimStatuses ?? [];
  if (!sameJson(claims(before), claims(after))) {
    throw rejection(write, `node ${quoted(node)} cannot update resource claim statues`);
  }
  const extended = (pod: StoredPod | undefined) => pod?.status?.extendedResourceClaimStatus ?? null;
  if (!sameJson(extended(before), extended(after))) {
    throw rejection(write, `node ${quoted(node)} cannot update extended resource claim status`);
  }
}

/** Allows a node to evict its own pods. */
export async function admitEviction(write: NodeWrite): Promise<void> {
  const { node, attributes, read } = write;
  const { operation, namespace, name } = attributes;
  if (operation !== 'CREATE') throw rejection(write, `unexpected operation ${operation}`);
  const pod = await read({ group: '', resource: 'pods', namespace, name });
  if (pod === undefined) throw notFound({ group: '', resource: 'pods' }, name);
  if (nodeOf(pod) === node) return;
  throw rejection(write, `node ${node} can only evict pods with spec.nodeName set to itself`);
}

async function admitPodCreation(write: NodeWrite): Promise<void> {
  const { node, attributes } = write;
  const who = `node ${quoted(node)}`;
  // The created object is a pod.
  const pod = attributes.object as unknown as StoredPod;
  if (!isMirrorPod(pod)) {
    throw rejection(
      write,
      `pod does not have "kubernetes.io/config.mirror" annotation, ${who} can only create mirror pods`,
    );
  }
  if (nodeOf(pod) !== node) throw rejection(write, `${who} can only create pods with spec.nodeName set to itself`);
  await checkOwner(write, pod);
  const reference = reachableResource(pod);
  if (reference !== undefined) throw rejection(write, `${who} can not create pods that reference ${reference}`);
}

/** Checks that a mirror pod is owned by its Node, so that the pod is deleted together with the Node. */
async function checkOwner(write: NodeWrite, { metadata }: StoredPod): Promise<void> {
  const { node, read } = write;
  const who = `node ${quoted(node)}`;
  const [owner, ...more] = metadata.ownerReferences ?? [];
  if (more.length > 0) {
    throw rejection(write, `${who} can only create pods with a single owner reference set to itself`);
  }
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node) {
    throw rejection(write, `${who} can only create pods with an owner reference set to itself`);
  }
  if (owner.controller !== true) {
    throw rejection(write, `${who} can only create pods with a controller owner reference set to itself`);
  }
  if (owner.blockOwnerDeletion === true) {
    throw rejection(write, `${who} must not set blockOwnerDeletion on an owner reference`);
  }
  const stored = await read({ group: '', resource: 'nodes', name: node });
  if (stored === undefined) throw notFound({ group: '', resource: 'nodes' }, node);
  if (owner.uid !== stored.metadata.uid) {
    throw rejection(write, `node ${node} UID mismatch: expected ${owner.uid} got ${stored.metadata.uid}`);
  }
}

/** Returns a resource that the node could read through this pod; undefined if no such resource exists. */
function reachableResource(pod: StoredPod): string | undefined {
  if (pod.spec?.serviceAccountName) return 'serviceaccounts';
  if (secretNames(pod).length > 0) return 'secrets';
  if (configMapNames(pod).length > 0) return 'configmaps';
  if ((pod.spec?.resourceClaims?.length ?? 0) > 0) return 'resourceclaims';
  return (pod.spec?.volumes ?? []).map(reachableByVolume).find((resource) => resource !== undefined);
}

function reachableByVolume(volume: Volume): string | undefined {
  if (volume.configMap) return 'configmaps (via configmap volumes)';
  if (volume.secret) return 'secrets (via secret volumes)';
  if (volume.csi) return 'csidrivers (via CSI volumes)';
  if (volume.glusterfs) return 'endpoints (via glusterFS volumes)';
  if (volume.persistentVolumeClaim) return 'persistentvolumeclaims';
  if (volume.ephemeral) return 'persistentvolumeclaims (via ephemeral volumes)';
  if (volume.azureFile) return 'secrets (via azureFile volumes)';
  return (volume.projected?.sources ?? []).map(reachableBySource).find((resource) => resource !== undefined);
}

function reachableBySource(source: ProjectedSource): string | undefined {
  if (source.configMap) return 'configmaps (via projected volumes)';
  if (source.secret) return 'secrets (via projected volumes)';
  if (source.serviceAccountToken) return 'serviceaccounts (via projected volumes)';
  if (source.clusterTrustBundle) return 'clustertrustbundles';
  return source.podCertificate ? 'podcertificates' : undefined;
}

function nodeOf(pod: object | undefined): string | undefined {
  return (pod as StoredPod | undefined)?.spec?.nodeName;
}
