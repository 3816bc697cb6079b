import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';

const group = 'admissionregistration.k8s.io/v1';

function admissionKind(resource: string, struct: string): ReturnType<typeof builtinKind> {
  return builtinKind({
    // An apply to the status may create the object, which upstream allows only for these kinds and Services. Kinds
    // without a status subresource ignore this entry.
    subresources: { status: { keepsMetadata: true, allowCreateOnApply: true } },
    resource: `${group}/${resource}`,
    struct: `admissionregistrationv1.${struct}`,
    generation: 'object',
    generationSeesEmpty: resource.endsWith('webhookconfigurations'),
    allowUnconditionalUpdate: false,
  });
}

/** Kinds of the admissionregistration group. */
export const admissionregistrationKinds: readonly BuiltinKind[] = [
  admissionKind('mutatingadmissionpolicies', 'MutatingAdmissionPolicy'),
  admissionKind('mutatingadmissionpolicybindings', 'MutatingAdmissionPolicyBinding'),
  admissionKind('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
  admissionKind('validatingadmissionpolicies', 'ValidatingAdmissionPolicy'),
  admissionKind('validatingadmissionpolicybindings', 'ValidatingAdmissionPolicyBinding'),
  admissionKind('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
];
