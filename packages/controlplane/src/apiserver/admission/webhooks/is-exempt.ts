import type { AdmissionAttributes } from '../admission-plugin.ts';

const KINDS = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** Whether webhooks have no say: in how webhooks are configured, or nobody could ever repair it. */
export function isExempt({ definition }: AdmissionAttributes): boolean {
  return definition.group === 'admissionregistration.k8s.io' && KINDS.has(definition.kind);
}
