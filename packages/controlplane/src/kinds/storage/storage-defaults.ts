import type { CSIDriver, StorageClass } from '../generated/drafts.ts';
import { isEmpty } from '../validation/check.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the storage group. */
export const storageDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<StorageClass>('storagev1.StorageClass', (storageClass) => {
    storageClass.reclaimPolicy ??= 'Delete';
    storageClass.volumeBindingMode ??= 'Immediate';
  }),
  defaultsOf<CSIDriver>('storagev1.CSIDriver', ({ spec }) => {
    spec.attachRequired ??= true;
    spec.podInfoOnMount ??= false;
    spec.storageCapacity ??= false;
    spec.fsGroupPolicy ??= 'ReadWriteOnceWithFSType';
    if (isEmpty(spec.volumeLifecycleModes)) spec.volumeLifecycleModes = ['Persistent'];
    spec.requiresRepublish ??= false;
    spec.seLinuxMount ??= false;
  }),
];
