import { forbidden, Quantity } from '@kubewright/apimachinery';
import type { AdmissionAttributes, AdmissionPlugin } from '@kubewright/apiserver';
import type { ReadObject } from '@kubewright/apiserver/internal';
import { handles } from './handles.ts';

interface Claim {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly storageClassName?: string;
    readonly resources?: { readonly requests?: Readonly<Record<string, string>> };
  };
  readonly status?: { readonly phase?: string };
}

/** Allows a claim to grow only if it is bound and its class allows expansion (`PersistentVolumeClaimResize` admission, 1.36). */
export function claimResizeAdmission(read: ReadObject): AdmissionPlugin {
  return {
    name: 'PersistentVolumeClaimResize',
    handles: handles('', 'persistentvolumeclaims'),
    async validate(attributes: AdmissionAttributes): Promise<void> {
      const { subresource, operation, name } = attributes;
      if (operation !== 'UPDATE' || subresource !== '') return;
      // The registry passes only objects of the definition's kind.
      const now = attributes.object as unknown as Claim | undefined;
      const old = attributes.oldObject as unknown as Claim | undefined;
      if (!now || !old || requestOf(now).compare(requestOf(old)) <= 0) return;
      const reject = (why: string) => forbidden({ group: '', resource: 'persistentvolumeclaims' }, name, why);
      if (old.status?.phase !== 'Bound') throw reject('Only bound persistent volume claims can be expanded');
      const className = classOf(now);
      const found =
        className !== '' && className === classOf(old)
          ? await read({ group: 'storage.k8s.io', resource: 'storageclasses', name: className })
          : undefined;
      if ((found as { allowVolumeExpansion?: boolean } | undefined)?.allowVolumeExpansion) return;
      throw reject(
        'only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
      );
    },
  };
}

function requestOf({ spec }: Claim): Quantity {
  return Quantity.tryParse(spec?.resources?.requests?.['storage']) ?? Quantity.zero;
}

function classOf({ metadata, spec }: Claim): string {
  return metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? spec?.storageClassName ?? '';
}
