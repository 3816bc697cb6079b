import type { ObjectMeta } from '@kubewright/apimachinery';
import type { Workload } from './api/v1alpha1/pod-info.ts';

/** Returns the metadata of a ReplicaSet in the pod's namespace, if it is known. */
export type FindReplicaSet = (name: string) => { readonly metadata: ObjectMeta } | undefined;

/** Finds the workload of a pod: its controller, or for a ReplicaSet of a Deployment, the Deployment. */
export function workloadOf({ metadata }: { readonly metadata: ObjectMeta }, find: FindReplicaSet): Workload {
  const owner = controllerOf(metadata);
  if (owner === undefined) return { apiVersion: 'v1', kind: 'Pod', name: metadata.name ?? '' };
  const above = owner.kind === 'ReplicaSet' ? controllerOf(find(owner.name)?.metadata) : undefined;
  const { apiVersion, kind, name } = above ?? owner;
  return { apiVersion, kind, name };
}

function controllerOf(metadata: ObjectMeta | undefined) {
  return metadata?.ownerReferences?.find(({ controller }) => controller);
}
