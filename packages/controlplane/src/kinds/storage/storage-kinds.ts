import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import { protect } from '../core/protect.ts';
import { dropUnused } from '../drop-unused.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../generated/drafts.ts';
import { semanticEqual } from '../validation/check.ts';

const group = 'storage.k8s.io/v1';

/** Kinds of the storage group. */
export const storageKinds: readonly BuiltinKind[] = [
  builtinKind<CSIDriver>({
    resource: `${group}/csidrivers`,
    struct: 'storagev1.CSIDriver',
    strategy: {
      prepareForCreate({ spec }) {
        dropUnused(spec, undefined, ['preventPodSchedulingIfMissing']);
      },
      // As in upstream, the generation is not set on creation, so the first change sets it to 1.
      prepareForUpdate(driver, old) {
        dropUnused(driver.spec, old.spec, ['preventPodSchedulingIfMissing']);
        if (!semanticEqual(driver.spec, old.spec)) driver.metadata.generation = (old.metadata.generation ?? 0) + 1;
      },
    },
    allowUnconditionalUpdate: false,
  }),
  builtinKind<CSINode>({ resource: `${group}/csinodes`, struct: 'storagev1.CSINode', allowUnconditionalUpdate: false }),
  builtinKind<CSIStorageCapacity>({
    resource: `${group}/csistoragecapacities`,
    struct: 'storagev1.CSIStorageCapacity',
    allowUnconditionalUpdate: false,
  }),
  builtinKind<StorageClass>({ resource: `${group}/storageclasses`, struct: 'storagev1.StorageClass' }),
  builtinKind<VolumeAttachment>({
    resource: `${group}/volumeattachments`,
    struct: 'storagev1.VolumeAttachment',
    allowUnconditionalUpdate: false,
    subresources: { status: { keepsMetadata: true } },
  }),
  builtinKind<VolumeAttributesClass>({
    resource: `${group}/volumeattributesclasses`,
    struct: 'storagev1.VolumeAttributesClass',
    strategy: { prepareForCreate: ({ metadata }) => protect(metadata, 'kubernetes.io/vac-protection') },
  }),
];
