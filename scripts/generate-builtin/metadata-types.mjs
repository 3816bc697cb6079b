/**
 * Kinds whose stored objects have `metadata.generation`, by `apiVersion/resource`. Recorded in `minimal.jsonl`
 * (1.36.3).
 */
export const withGeneration = new Set([
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  'admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  'apiextensions.k8s.io/v1/customresourcedefinitions',
  'apps/v1/daemonsets',
  'apps/v1/deployments',
  'apps/v1/replicasets',
  'apps/v1/statefulsets',
  'batch/v1/cronjobs',
  'batch/v1/jobs',
  'discovery.k8s.io/v1/endpointslices',
  'flowcontrol.apiserver.k8s.io/v1/flowschemas',
  'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
  'networking.k8s.io/v1/ingressclasses',
  'networking.k8s.io/v1/ingresses',
  'networking.k8s.io/v1/networkpolicies',
  'policy/v1/poddisruptionbudgets',
  'resource.k8s.io/v1/deviceclasses',
  'resource.k8s.io/v1/resourceslices',
  'scheduling.k8s.io/v1/priorityclasses',
  'v1/pods',
  'v1/podtemplates',
  'v1/replicationcontrollers',
]);

/** Returns the type of a kind's `metadata`, given its entry in the discovery document. */
export function metadataType(apiVersion, resource) {
  // A kind without `get` is a review, such as TokenReview.
  if (!resource.verbs.includes('get') || resource.name === 'componentstatuses') return 'ComputedMeta';
  const fields = [];
  if (resource.namespaced) fields.push("'namespace'");
  if (withGeneration.has(`${apiVersion}/${resource.name}`)) fields.push("'generation'");
  return fields.length === 0 ? 'KindMeta' : `KindMeta<${fields.join(' | ')}>`;
}
