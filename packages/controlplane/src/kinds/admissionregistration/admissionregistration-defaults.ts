import type {
  Admissionregistrationv1ServiceReference,
  MatchResources,
  MutatingWebhook,
  Rule,
  ValidatingAdmissionPolicySpec,
  ValidatingWebhook,
} from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the admissionregistration group. */
export const admissionregistrationDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<ValidatingWebhook>('admissionregistrationv1.ValidatingWebhook', defaultWebhook),
  defaultsOf<MutatingWebhook>('admissionregistrationv1.MutatingWebhook', (webhook) => {
    defaultWebhook(webhook);
    webhook.reinvocationPolicy ??= 'Never';
  }),
  defaultsOf<Rule>('admissionregistrationv1.RuleWithOperations', defaultScope),
  defaultsOf<Rule>('admissionregistrationv1.NamedRuleWithOperations', defaultScope),
  defaultsOf<Admissionregistrationv1ServiceReference>('admissionregistrationv1.ServiceReference', (reference) => {
    reference.port ??= 443;
  }),
  ...['Validating', 'Mutating'].map((kind) =>
    defaultsOf<ValidatingAdmissionPolicySpec>(`admissionregistrationv1.${kind}AdmissionPolicySpec`, (spec) => {
      spec.failurePolicy ??= 'Fail';
    }),
  ),
  defaultsOf<MatchResources>('admissionregistrationv1.MatchResources', defaultMatch),
];

function defaultScope(rule: Rule): void {
  rule.scope ??= '*';
}

function defaultMatch(match: MatchResources | ValidatingWebhook): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
}

function defaultWebhook(webhook: ValidatingWebhook | MutatingWebhook): void {
  webhook.failurePolicy ??= 'Fail';
  defaultMatch(webhook);
  webhook.timeoutSeconds ??= 10;
}
