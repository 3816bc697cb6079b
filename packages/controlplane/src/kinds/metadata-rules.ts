import { defined } from '@kubewright/apimachinery/internal';
import type { Strategy } from '@kubewright/apiserver';

type Rules = Pick<Strategy, 'checksGenerateName' | 'allowsPlainFinalizers'>;

/**
 * Returns how a kind validates `generateName` and finalizers. Upstream's kinds differ: most validate all metadata again with
 * every update; some do not check that finalizers have a domain. Recorded from kube-apiserver 1.36.3.
 */
export function metadataRules(resource: string): Rules {
  const checksGenerateName: Rules['checksGenerateName'] = unchecked.has(resource)
    ? 'never'
    : checkedOnUpdate.has(resource)
      ? 'always'
      : undefined;
  return defined({ checksGenerateName, allowsPlainFinalizers: plainFinalizers.has(resource) || undefined });
}

const unchecked: ReadonlySet<string> = new Set([
  '/v1/events',
  '/v1/replicationcontrollers',
  'policy/v1/poddisruptionbudgets',
  'resource.k8s.io/v1/deviceclasses',
  'certificates.k8s.io/v1/certificatesigningrequests',
]);

const checkedOnUpdate: ReadonlySet<string> = new Set([
  '/v1/pods',
  '/v1/configmaps',
  '/v1/secrets',
  '/v1/endpoints',
  '/v1/limitranges',
  '/v1/namespaces',
  '/v1/nodes',
  '/v1/persistentvolumeclaims',
  '/v1/persistentvolumes',
  '/v1/serviceaccounts',
  'apps/v1/controllerrevisions',
  'batch/v1/jobs',
  'networking.k8s.io/v1/ingressclasses',
  'networking.k8s.io/v1/ingresses',
  'networking.k8s.io/v1/ipaddresses',
  'rbac.authorization.k8s.io/v1/clusterroles',
  'rbac.authorization.k8s.io/v1/clusterrolebindings',
  'rbac.authorization.k8s.io/v1/roles',
  'rbac.authorization.k8s.io/v1/rolebindings',
  'storage.k8s.io/v1/csinodes',
  'storage.k8s.io/v1/csistoragecapacities',
  'storage.k8s.io/v1/storageclasses',
  'storage.k8s.io/v1/volumeattachments',
  'storage.k8s.io/v1/volumeattributesclasses',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'node.k8s.io/v1/runtimeclasses',
  'discovery.k8s.io/v1/endpointslices',
  'flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  'resource.k8s.io/v1/resourceclaims',
  'resource.k8s.io/v1/resourceclaimtemplates',
  'apiregistration.k8s.io/v1/apiservices',
]);

const plainFinalizers: ReadonlySet<string> = new Set([
  '/v1/events',
  'policy/v1/poddisruptionbudgets',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'coordination.k8s.io/v1/leases',
  'node.k8s.io/v1/runtimeclasses',
  'apiregistration.k8s.io/v1/apiservices',
]);
