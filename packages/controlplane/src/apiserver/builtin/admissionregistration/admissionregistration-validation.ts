import {
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  RuleWithOperations,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookClientConfig,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, fields, isEmpty, present, required } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';

/** Rules of webhook configurations. */
export const admissionregistrationValidation: readonly ValidationEntry[] = ['validating', 'mutating'].map((kind) =>
  validationOf<ValidatingWebhookConfiguration>(`admissionregistration.k8s.io/v1/${kind}webhookconfigurations`, {
    validate: ({ webhooks }) => each(webhook)(webhooks, FieldPath.of('webhooks')),
  }),
);

const webhook: Check<ValidatingWebhook> = (value, path) => {
  if (!value) return [];
  const faults: FieldError[] = [...nameFaults(value.name, path.child('name'))];
  faults.push(...each(webhookRule)(value.rules, path.child('rules')));
  const choices = fields<ValidatingWebhook>({
    failurePolicy: present(enumOf('Fail', 'Ignore')),
    matchPolicy: present(enumOf('Equivalent', 'Exact')),
    sideEffects: required(enumOf('None', 'NoneOnDryRun')),
  });
  faults.push(...choices(value, path));
  const seconds = value.timeoutSeconds;
  if (seconds !== undefined && (seconds < 1 || seconds > 30)) {
    faults.push(
      invalidField(path.child('timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds'),
    );
  }
  if (isEmpty(value.admissionReviewVersions)) {
    faults.push(requiredField(path.child('admissionReviewVersions'), 'must specify one of v1, v1beta1'));
  }
  return [...faults, ...clientFaults(value.clientConfig, path.child('clientConfig'))];
};

function nameFaults(name: string, path: FieldPath): readonly FieldError[] {
  if (!name) return [requiredField(path)];
  const faults = checkDns1123Subdomain(name).map((detail) => invalidField(path, name, detail));
  if (name.split('.').length >= 3) return faults;
  return [...faults, invalidField(path, name, 'should be a domain with at least three segments separated by dots')];
}

const webhookRule: Check<RuleWithOperations> = fields<RuleWithOperations>({
  operations: required(each(enumOf('*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'))),
  apiGroups: required(),
  apiVersions: required(),
  resources: required(),
});

function clientFaults(config: WebhookClientConfig, path: FieldPath): readonly FieldError[] {
  if ((config.url === undefined) === (config.service === undefined)) {
    return [requiredField(path, 'exactly one of url or service is required')];
  }
  if (config.url === undefined) {
    return fields<NonNullable<typeof config.service>>({ name: required(), namespace: required() })(
      config.service,
      path.child('service'),
    );
  }
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(config.url)?.[1] ?? '';
  if (scheme === 'https') return [];
  const detail = "'https' is the only allowed URL scheme; desired format: https://host[/path]";
  return [invalidField(path.child('url'), scheme, detail)];
}
