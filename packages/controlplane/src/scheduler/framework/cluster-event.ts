import type { PersistentVolume, PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '@kubewright/apimachinery/storage/v1';
import type { NodeInfo } from '../cluster/node-info.ts';
import type { PodInfo } from '../cluster/pod-info.ts';

interface Change<R extends string, A extends string, T> {
  readonly resource: R;
  readonly action: A;
  readonly old?: T | undefined;
  readonly now?: T | undefined;
}

/** A change to a pod on a node, or to the pending pod itself, which may become schedulable through the change. */
export type PodEvent = Change<
  'Pod',
  'Add' | 'Delete' | 'UpdateLabel' | 'UpdateScaleDown' | 'UpdateToleration' | 'UpdateGatesEliminated',
  PodInfo
>;

/** A change to a node itself, not to its pods. */
export type NodeEvent = Change<
  'Node',
  'Add' | 'Delete' | 'UpdateAllocatable' | 'UpdateLabel' | 'UpdateTaint',
  NodeInfo
>;

type ObjectAction = 'Add' | 'Update' | 'Delete';

/** A change in the cluster that may make a rejected pod schedulable. */
export type ClusterEvent =
  | PodEvent
  | NodeEvent
  | Change<'PersistentVolume', ObjectAction, PersistentVolume>
  | Change<'PersistentVolumeClaim', ObjectAction, PersistentVolumeClaim>
  | Change<'StorageClass', ObjectAction, StorageClass>
  | Change<'CSINode', ObjectAction, CSINode>
  | Change<'CSIDriver', ObjectAction, CSIDriver>
  | Change<'CSIStorageCapacity', ObjectAction, CSIStorageCapacity>
  | Change<'VolumeAttachment', ObjectAction, VolumeAttachment>;
