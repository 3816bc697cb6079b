import type { AdmissionAttributes } from '../admission-plugin.ts';

const kinds = new Set([
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
]);

/**
 * True for webhook configurations and admission policies. Webhooks never review them; otherwise, a broken webhook could block its
 * own repair.
 */
export function isExempt({ definition }: AdmissionAttributes): boolean {
  return definition.group === 'admissionregistration.k8s.io' && kinds.has(definition.kind);
}
