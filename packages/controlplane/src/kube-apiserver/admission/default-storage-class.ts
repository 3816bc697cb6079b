import type { AdmissionAttributes, AdmissionPlugin, Storage } from '@kubewright/apiserver';
import { storagePrefix } from '@kubewright/apiserver/internal';
import { defaultClassName } from './default-class.ts';
import { handles } from './handles.ts';

const annotations = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];
const prefix = storagePrefix({ group: 'storage.k8s.io', resource: 'storageclasses' });
const claimAnnotation = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default class on new claims without a class (`DefaultStorageClass` admission, 1.36). */
export function defaultStorageClass(storage: Storage): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    handles: handles('', 'persistentvolumeclaims'),
    async mutate({ subresource, operation, object }: AdmissionAttributes): Promise<void> {
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      const spec = object['spec'] as { storageClassName?: string | null } | undefined;
      // An empty name is an explicit choice: a volume without a class.
      const isChosen = typeof spec?.storageClassName === 'string';
      if (!spec || isChosen || object.metadata.annotations?.[claimAnnotation] !== undefined) return;
      const name = await defaultClassName(storage, { prefix, annotations });
      if (name !== undefined) spec.storageClassName = name;
    },
  };
}
