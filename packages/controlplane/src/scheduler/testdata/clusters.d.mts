import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';

/** The objects of a cluster, and pending pods to schedule one at a time. */
export interface RandomCluster {
  readonly nodes: readonly Node[];
  readonly running: readonly Pod[];
  readonly pending: readonly Pod[];
  readonly services: readonly Service[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly storageClasses: readonly StorageClass[];
}

/** The labels of each namespace, by its name. */
export declare const namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;

export declare function randomCluster(seed: number): RandomCluster;
