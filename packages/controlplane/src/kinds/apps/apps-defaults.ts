import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the apps group. */
export const appsDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<Deployment>('appsv1.Deployment', ({ spec }) => {
    spec.replicas ??= 1;
    spec.strategy.type ||= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
      spec.strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  }),
  defaultsOf<DaemonSet>('appsv1.DaemonSet', ({ metadata, spec }) => {
    // This counter of template changes comes from a removed API version. Upstream sets it on every write of a
    // DaemonSet, so field managers own it.
    metadata.annotations = { 'deprecated.daemonset.template.generation': '0', ...metadata.annotations };
    spec.updateStrategy.type ||= 'RollingUpdate';
    if (spec.updateStrategy.type === 'RollingUpdate') {
      spec.updateStrategy.rollingUpdate ??= {};
      spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
      spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
    }
    spec.revisionHistoryLimit ??= 10;
  }),
  defaultsOf<StatefulSet>('appsv1.StatefulSet', defaultStatefulSet),
  defaultsOf<ReplicaSet>('appsv1.ReplicaSet', ({ spec }) => {
    spec.replicas ??= 1;
  }),
];

function defaultStatefulSet({ spec }: StatefulSet): void {
  spec.podManagementPolicy ||= 'OrderedReady';
  if (!spec.updateStrategy.type) {
    spec.updateStrategy.type = 'RollingUpdate';
    spec.updateStrategy.rollingUpdate ??= {};
  }
  // As in upstream, a strategy given by the client gets no default `rollingUpdate`.
  const { type, rollingUpdate } = spec.updateStrategy;
  if (type === 'RollingUpdate' && rollingUpdate) {
    rollingUpdate.partition ??= 0;
  }
  spec.persistentVolumeClaimRetentionPolicy ??= {};
  spec.persistentVolumeClaimRetentionPolicy.whenDeleted ||= 'Retain';
  spec.persistentVolumeClaimRetentionPolicy.whenScaled ||= 'Retain';
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= 10;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    // Upstream ignores what the client sends.
    claim.apiVersion = 'v1';
    claim.kind = 'PersistentVolumeClaim';
  }
}
