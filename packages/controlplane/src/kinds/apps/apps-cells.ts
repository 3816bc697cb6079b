import { ageOf } from '@kubewright/apiserver/internal';
import type { ControllerRevision, DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../generated/drafts.ts';
import { containerTexts, labelText, selectorText } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

/** Table rows of the apps group. */
export const appsCells: readonly CellsEntry[] = [
  cellsOf<ControllerRevision>('apps/v1/controllerrevisions', ({ metadata, revision }, nowMs) => {
    const owner = (metadata.ownerReferences ?? []).find(({ controller }) => controller);
    const group = owner?.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0]}` : '';
    const text = owner ? `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}` : '<none>';
    return [metadata.name, text, revision, ageOf(metadata.creationTimestamp, nowMs)];
  }),
  cellsOf<DaemonSet>('apps/v1/daemonsets', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    status.desiredNumberScheduled,
    status.currentNumberScheduled,
    status.numberReady,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    labelText(spec.template.spec.nodeSelector),
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.template.spec.containers),
    selectorText(spec.selector),
  ]),
  cellsOf<Deployment>('apps/v1/deployments', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.template.spec.containers),
    selectorText(spec.selector),
  ]),
  cellsOf<ReplicaSet>('apps/v1/replicasets', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.replicas ?? 0,
    status.replicas,
    status.readyReplicas ?? 0,
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.template.spec.containers),
    selectorText(spec.selector),
  ]),
  cellsOf<StatefulSet>('apps/v1/statefulsets', ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    ageOf(metadata.creationTimestamp, nowMs),
    ...containerTexts(spec.template.spec.containers),
  ]),
];
