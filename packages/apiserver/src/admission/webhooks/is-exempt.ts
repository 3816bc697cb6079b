import type { AdmissionAttributes } from '../admission-plugin.ts';

const kinds = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/** True for webhook configurations. Webhooks cannot review them; otherwise a broken webhook could never be repaired. */
export function isExempt({ definition }: AdmissionAttributes): boolean {
  return definition.group === 'admissionregistration.k8s.io' && kinds.has(definition.kind);
}
