import { ageOf } from '@kubewright/apiserver/internal';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../generated/drafts.ts';
import { orNone } from '../table/cell-text.ts';
import { type CellsEntry, cellsOf } from '../table/kind-cells.ts';

const group = 'storage.k8s.io/v1';
const defaultClass = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** Table rows of the storage group. */
export const storageCells: readonly CellsEntry[] = [
  cellsOf<CSIDriver>(`${group}/csidrivers`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    spec.attachRequired ?? true,
    spec.podInfoOnMount ?? false,
    spec.storageCapacity ?? false,
    spec.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(',') : '<unset>',
    spec.requiresRepublish ?? false,
    orNone((spec.volumeLifecycleModes ?? []).join(',')),
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<CSINode>(`${group}/csinodes`, ({ metadata, spec }, nowMs) => [
    metadata.name,
    (spec.drivers ?? []).length,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<CSIStorageCapacity>(`${group}/csistoragecapacities`, ({ metadata }) => [
    metadata.name,
    metadata.creationTimestamp ?? null,
  ]),
  cellsOf<StorageClass>(`${group}/storageclasses`, (storageClass, nowMs) => {
    const { metadata } = storageClass;
    const isDefault = defaultClass.some((annotation) => metadata.annotations?.[annotation] === 'true');
    return [
      isDefault ? `${metadata.name} (default)` : metadata.name,
      storageClass.provisioner,
      storageClass.reclaimPolicy ?? 'Delete',
      storageClass.volumeBindingMode ?? 'Immediate',
      storageClass.allowVolumeExpansion ?? false,
      ageOf(metadata.creationTimestamp, nowMs),
    ];
  }),
  cellsOf<VolumeAttachment>(`${group}/volumeattachments`, ({ metadata, spec, status }, nowMs) => [
    metadata.name,
    spec.attacher,
    spec.source.persistentVolumeName ?? '',
    spec.nodeName,
    status.attached,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
  cellsOf<VolumeAttributesClass>(`${group}/volumeattributesclasses`, ({ metadata, driverName }, nowMs) => [
    metadata.name,
    driverName,
    ageOf(metadata.creationTimestamp, nowMs),
  ]),
];
