import type { Stored } from '@kubewright/apimachinery';
import type { Pod, Volume } from '@kubewright/apimachinery/core/v1';
import { type AffinityTerms, affinityTerms, type Labels } from './affinity-term.ts';
import { type HostPort, podHostPorts } from './host-ports.ts';
import { type PodRequests, podRequests } from './pod-requests.ts';
import type { Resources } from './resources.ts';

/** The data that the scheduler keeps about a pod on a node. Much smaller than the full object. */
export interface PodInfo extends PodRequests {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly nodeName: string;
  readonly nominatedNodeName: string;
  readonly isTerminating: boolean;
  readonly generation: number;
  readonly requests: Resources;
  readonly hostPorts: readonly HostPort[];
  readonly terms: AffinityTerms;
  readonly hasAffinity: boolean;
  /** The volumes that can rule out a node: claims, ephemeral volumes and shared disks. */
  readonly volumes: readonly Volume[];
}

/** A pod that waits for a node, including the full object. */
export interface PendingPod extends PodInfo {
  readonly pod: Stored<Pod>;
}

const noVolumes: readonly Volume[] = [];
const noPorts: readonly HostPort[] = [];

/** Extracts the data that the scheduler keeps about a pod. */
export function podInfo(pod: Stored<Pod>): PodInfo {
  const { metadata, spec, status } = pod;
  const volumes = (spec?.volumes ?? []).filter(isRestrictive);
  const hostPorts = podHostPorts(pod);
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  return {
    uid: metadata.uid,
    namespace: metadata.namespace,
    name: metadata.name,
    labels: metadata.labels ?? {},
    priority: spec?.priority ?? 0,
    nodeName: spec?.nodeName ?? '',
    nominatedNodeName: status?.nominatedNodeName ?? '',
    isTerminating: metadata.deletionTimestamp !== undefined,
    generation: metadata.generation,
    ...podRequests(pod),
    hostPorts: hostPorts.length === 0 ? noPorts : hostPorts,
    terms: affinityTerms(pod),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    volumes: volumes.length === 0 ? noVolumes : volumes,
  };
}

/** Extracts the data that the scheduler keeps about a pod that waits for a node. */
export function pendingPod(pod: Stored<Pod>): PendingPod {
  return { ...podInfo(pod), pod };
}

/** Returns the data of a pending pod as if it were assigned to a node. */
export function placedOn({ pod: _pod, ...info }: PendingPod, nodeName: string): PodInfo {
  return { ...info, nodeName };
}

function isRestrictive(volume: Volume): boolean {
  return Boolean(volume.persistentVolumeClaim ?? volume.ephemeral) || isSharedDisk(volume);
}

/** True for volumes backed by a disk that the scheduler may not let several pods on one node share. */
export function isSharedDisk({ gcePersistentDisk, awsElasticBlockStore, iscsi, rbd }: Volume): boolean {
  return Boolean(gcePersistentDisk ?? awsElasticBlockStore ?? iscsi ?? rbd);
}

/** Returns the name of the claim that a volume uses, or undefined. */
export function claimNameOf(pod: { readonly name: string }, volume: Volume): string | undefined {
  if (volume.persistentVolumeClaim) return volume.persistentVolumeClaim.claimName;
  return volume.ephemeral ? `${pod.name}-${volume.name}` : undefined;
}
