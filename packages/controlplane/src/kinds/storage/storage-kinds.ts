import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import { protect } from '../core/protect.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../generated/drafts.ts';

const GROUP = 'storage.k8s.io/v1';

/** Kinds of the storage group. */
export const storageKinds: readonly BuiltinKind[] = [
  builtinKind<CSIDriver>({
    resource: `${GROUP}/csidrivers`,
    struct: 'storagev1.CSIDriver',
    allowUnconditionalUpdate: false,
  }),
  builtinKind<CSINode>({ resource: `${GROUP}/csinodes`, struct: 'storagev1.CSINode', allowUnconditionalUpdate: false }),
  builtinKind<CSIStorageCapacity>({
    resource: `${GROUP}/csistoragecapacities`,
    struct: 'storagev1.CSIStorageCapacity',
    allowUnconditionalUpdate: false,
  }),
  builtinKind<StorageClass>({ resource: `${GROUP}/storageclasses`, struct: 'storagev1.StorageClass' }),
  builtinKind<VolumeAttachment>({
    resource: `${GROUP}/volumeattachments`,
    struct: 'storagev1.VolumeAttachment',
    allowUnconditionalUpdate: false,
    views: { status: { keepsMetadata: true } },
  }),
  builtinKind<VolumeAttributesClass>({
    resource: `${GROUP}/volumeattributesclasses`,
    struct: 'storagev1.VolumeAttributesClass',
    strategy: { prepareForCreate: ({ metadata }) => protect(metadata, 'kubernetes.io/vac-protection') },
  }),
];
