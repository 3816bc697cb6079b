import type { AdmissionAttributes } from '../admission-plugin.ts';

const exempt: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io/mutatingadmissionpolicies',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings',
  'admissionregistration.k8s.io/validatingadmissionpolicies',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings',
  'authentication.k8s.io/selfsubjectreviews',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
  'authorization.k8s.io/subjectaccessreviews',
]);

/**
 * Returns true for resources that no policy applies to: the policies themselves, so that you can repair a broken policy, and the
 * reviews that other servers send to authenticate and authorize requests. Unlike webhooks, policies apply to webhook
 * configurations (`generic.Plugin`, 1.36).
 */
export function isExemptFromPolicies({ definition }: AdmissionAttributes): boolean {
  return exempt.has(`${definition.group}/${definition.resource}`);
}
