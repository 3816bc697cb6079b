import {
  checkDns1035Label,
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type { MutatingWebhook, ValidatingWebhookConfiguration } from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, isEmpty, present, unique } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { labelSelector } from '../validation/rules.ts';
import { matchConditions } from './match-condition-validation.ts';
import { webhookClientFaults } from './webhook-client-validation.ts';
import { webhookRule } from './webhook-rules-validation.ts';

/** Validation of webhook configurations. */
export const admissionregistrationValidation: readonly ValidationEntry[] = ['validating', 'mutating'].map((kind) =>
  validationOf<ValidatingWebhookConfiguration>(`admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, {
    // The fields of a validating webhook are a subset of a mutating webhook's.
    validate: ({ webhooks: list }) =>
      webhooks(list as readonly MutatingWebhook[] | undefined, FieldPath.of('webhooks')),
  }),
);

const choices = fields<MutatingWebhook>({
  failurePolicy: present(enumOf('Fail', 'Ignore')),
  matchPolicy: present(enumOf('Equivalent', 'Exact')),
  sideEffects: (value, path) =>
    value === undefined
      ? [requiredField(path, 'must specify one of None, NoneOnDryRun')]
      : enumOf('None', 'NoneOnDryRun')(value, path),
  timeoutSeconds: (value, path) =>
    value !== undefined && (value < 1 || value > 30)
      ? [invalidField(path, value, 'the timeout value must be between 1 and 30 seconds')]
      : [],
  namespaceSelector: present(labelSelector),
  objectSelector: present(labelSelector),
  reinvocationPolicy: present(enumOf('IfNeeded', 'Never')),
});

/** Validates a webhook of either kind. A validating webhook never has a reinvocation policy. */
const webhook: Check<MutatingWebhook> = (value, path) => {
  if (!value) return [];
  return [
    ...nameFaults(value.name, path.child('name')),
    ...each(webhookRule)(value.rules, path.child('rules')),
    ...choices(value, path),
    ...webhookClientFaults(value.clientConfig, path.child('clientConfig')),
    ...matchConditions(value.matchConditions, path.child('matchConditions')),
    ...reviewVersionFaults(value.admissionReviewVersions, path.child('admissionReviewVersions')),
  ];
};

const webhooks = all(
  each(webhook),
  unique<MutatingWebhook>(
    ({ name }) => name || undefined,
    (path) => path.child('name'),
  ),
);

function nameFaults(name: string, path: FieldPath): readonly FieldError[] {
  if (!name) return [requiredField(path)];
  const faults = checkDns1123Subdomain(name).map((detail) => invalidField(path, name, detail));
  if (faults.length > 0) return faults;
  if (name.split('.').length >= 3) return [];
  return [invalidField(path, name, 'should be a domain with at least three segments separated by dots')];
}

const knownVersions = ['v1', 'v1beta1'];

function reviewVersionFaults(versions: readonly string[] | null | undefined, path: FieldPath): readonly FieldError[] {
  if (versions == null || isEmpty(versions)) {
    return [requiredField(path, `must specify one of ${knownVersions.join(', ')}`)];
  }
  const faults = versions.flatMap((version, index) => {
    if (versions.indexOf(version) < index) return [invalidField(path.index(index), version, 'duplicate version')];
    return checkDns1035Label(version).map((detail) => invalidField(path.index(index), version, detail));
  });
  if (versions.some((version) => knownVersions.includes(version))) return faults;
  return [...faults, invalidField(path, versions, `must include at least one of ${knownVersions.join(', ')}`)];
}
