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
 * Reports whether a request is for a webhook configuration or an admission policy. Webhooks never review these objects;
 * otherwise, a broken webhook could block its own repair.
 */
export function isExempt({ definition }: AdmissionAttributes): boolean {
  return definition.group === 'admissionregistration.k8s.io' && kinds.has(definition.kind);
}
