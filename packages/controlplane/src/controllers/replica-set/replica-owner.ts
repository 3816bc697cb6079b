import { type Kind, type KubernetesObject, LabelSelector, type LabelSelectorObject } from '@kubewright/apimachinery';
import { ReplicaSet, type ReplicaSetStatus } from '@kubewright/apimachinery/apps/v1';
import { type PodTemplateSpec, ReplicationController } from '@kubewright/apimachinery/core/v1';
import type { KindMeta } from '@kubewright/apimachinery/internal';

/** Fields common to replica sets and replication controllers. */
export interface ReplicaOwner extends KubernetesObject {
  readonly metadata: KindMeta<'namespace' | 'generation'>;
  readonly spec?: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly template?: PodTemplateSpec;
  };
  readonly status?: ReplicaSetStatus;
}

/** Parameters of the replica controller for one kind. */
export interface ReplicaOwnerKind<O extends ReplicaOwner> {
  readonly kind: Kind<O>;
  /** Name of its service account and of its events' source. */
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
