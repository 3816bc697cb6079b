import type { AdmissionAttributes, AdmissionPlugin, Storage } from '@kubewright/apiserver';
import { storagePrefix } from '@kubewright/apiserver/internal';
import { defaultClassName } from './default-class.ts';
import { handles } from './handles.ts';

const prefix = storagePrefix({ group: 'networking.k8s.io', resource: 'ingressclasses' });
const annotations = ['ingressclass.kubernetes.io/is-default-class'];
const ingressAnnotation = 'kubernetes.io/ingress.class';

/** Sets the default class on new Ingresses without a class (`DefaultIngressClass` admission, 1.36). */
export function defaultIngressClass(storage: Storage): AdmissionPlugin {
  return {
    name: 'DefaultIngressClass',
    handles: handles('networking.k8s.io', 'ingresses'),
    async mutate({ subresource, operation, object }: AdmissionAttributes): Promise<void> {
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      const spec = object['spec'] as { ingressClassName?: string | null } | undefined;
      const isChosen = typeof spec?.ingressClassName === 'string';
      if (!spec || isChosen || object.metadata.annotations?.[ingressAnnotation] !== undefined) return;
      const name = await defaultClassName(storage, { prefix, annotations });
      if (name !== undefined) spec.ingressClassName = name;
    },
  };
}
