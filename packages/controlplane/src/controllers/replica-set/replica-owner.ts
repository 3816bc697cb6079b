import { type Kind, type KubernetesObject, LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import { ReplicaSet, type ReplicaSetStatus } from '@kubewright/apimachinery/apps/v1';
import { type PodTemplateSpec, ReplicationController } from '@kubewright/apimachinery/core/v1';
import type { KindMeta } from '@kubewright/apimachinery/internal';

/** The fields that replica sets and replication controllers have in common. */
export interface ReplicaOwner extends KubernetesObject {
  readonly metadata: KindMeta<'namespace' | 'generation'>;
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

/** The differences between the two kinds that the replica controller handles. */
export interface ReplicaOwnerKind<O extends ReplicaOwner> {
  readonly kind: Kind<O>;
  /** The name of the controller's service account, and the source of its events. */
  readonly account: string;
  selectorOf(owner: O): LabelSelectorObject | undefined;
}

export const replicaSets: ReplicaOwnerKind<ReplicaSet> = {
  kind: ReplicaSet,
  account: 'replicaset-controller',
  selectorOf: ({ spec }) => spec?.selector,
};

export const replicationControllers: ReplicaOwnerKind<ReplicationController> = {
  kind: ReplicationController,
  account: 'replication-controller',
  selectorOf: ({ spec }) => (spec?.selector ? { matchLabels: spec.selector } : undefined),
};

/** Returns an owner's selector. */
export function selectorOf<O extends ReplicaOwner>(of: ReplicaOwnerKind<O>, owner: O): LabelSelector {
  return LabelSelector.ofObject(of.selectorOf(owner));
}
