import type { Node, PersistentVolume, PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import type { StorageClass } from '@kubewright/apimachinery/storage/v1';

/** A cluster, and pods to schedule there one at a time. */
export interface RandomCluster {
  readonly nodes: readonly Node[];
  readonly running: readonly Pod[];
  readonly pending: readonly Pod[];
  readonly services: readonly Service[];
  readonly volumes: readonly PersistentVolume[];
  readonly claims: readonly PersistentVolumeClaim[];
  readonly storageClasses: readonly StorageClass[];
}

/** The labels of the namespaces by name. */
export declare const namespaces: Readonly<Record<string, Readonly<Record<string, string>>>>;

export declare function randomCluster(seed: number): RandomCluster;
