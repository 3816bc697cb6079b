import type { LabelSelector, Stored } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import type { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@kubewright/apimachinery/storage/v1';
import type { Labels } from '../cluster/affinity-term.ts';
import type { PendingPod } from '../cluster/pod-info.ts';
import type { SchedulerCache } from '../cluster/scheduler-cache.ts';

/** Name and namespace of an object. */
export interface NamespacedName {
  readonly namespace: string;
  readonly name: string;
}

/** The objects that plugins look up in the scheduler's caches. */
export interface ClusterObjects {
  /** Returns a claim, including changes that the scheduler has decided on but not yet observed. */
  claim(key: NamespacedName): Stored<PersistentVolumeClaim> | undefined;
  /** Returns a volume, including changes that the scheduler has decided on but not yet observed. */
  volume(name: string): Stored<PersistentVolume> | undefined;
  volumesOfClass(storageClass: string): readonly Stored<PersistentVolume>[];
  storageClass(name: string): StorageClass | undefined;
  csiNode(name: string): CSINode | undefined;
  csiDriver(name: string): CSIDriver | undefined;
  storageCapacities(): readonly CSIStorageCapacity[];
  attachmentsOn(nodeName: string): readonly VolumeAttachment[];
  namespaceLabels(name: string): Labels;
  namespacesMatching(selector: LabelSelector): readonly string[];
  /** Returns a selector for the pods of the same workload: those selected by the pod's Services and its controller. */
  workloadSelector(pod: PendingPod): LabelSelector;
  disruptionBudgets(): readonly PodDisruptionBudget[];
  /** Returns the full pod from the cache, including its status. */
  pod(key: NamespacedName): Stored<Pod> | undefined;
}

/** Everything that a scheduling decision depends on. */
export interface ClusterView {
  readonly cache: SchedulerCache;
  readonly objects: ClusterObjects;
}
