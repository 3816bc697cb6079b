import {
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  MatchResources,
  MutatingAdmissionPolicyBinding,
  NamedRuleWithOperations,
  ParamRef,
  ValidatingAdmissionPolicyBinding,
} from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, optional, required, textRule, unique } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment } from '../validation/names.ts';
import { dnsSubdomain, labelSelector } from '../validation/rules.ts';
import { webhookRule } from './webhook-rules-validation.ts';

const specPath = FieldPath.of('spec');

/** Validates the match resources of a policy or binding, which select the requests that it applies to. */
export const matchResources: Check<MatchResources> = fields<MatchResources>({
  matchPolicy: (policy, path) =>
    policy === undefined ? [requiredField(path)] : enumOf('Equivalent', 'Exact')(policy, path),
  namespaceSelector: (selector, path) => (selector ? labelSelector(selector, path) : [requiredField(path)]),
  objectSelector: (selector, path) => (selector ? labelSelector(selector, path) : [requiredField(path)]),
  resourceRules: each(namedRule),
  excludeResourceRules: each(namedRule),
});

function namedRule(value: NamedRuleWithOperations | undefined, path: FieldPath): readonly FieldError[] {
  const names = all<string[]>(
    each(textRule(checkPathSegment)),
    unique((name) => name),
  );
  return [...names(value?.resourceNames, path.child('resourceNames')), ...webhookRule(value, path)];
}

const mutating = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** Rejects DELETE, because a policy cannot mutate a deletion. */
export function mutatingOperations(match: MatchResources | undefined, path: FieldPath): readonly FieldError[] {
  const operations = (match?.resourceRules ?? []).flatMap((rule) => rule.operations ?? []);
  return operations
    .filter((operation) => !mutating.includes(operation))
    .map((operation) => unsupportedField(path.child('resourceRules', 'operations'), operation, mutating));
}

const paramRef: Check<ParamRef> = (value, path) => {
  if (!value) return [];
  const { name = '', selector, parameterNotFoundAction: action } = value;
  const exclusive = 'name and selector are mutually exclusive';
  const both = name !== '' && selector !== undefined;
  return [
    ...optional(textRule(checkPathSegment))(name, path.child('name')),
    ...(both ? [forbiddenField(path.child('name'), exclusive)] : []),
    ...(selector ? labelSelector(selector, path.child('selector')) : []),
    ...(both ? [forbiddenField(path.child('selector'), exclusive)] : []),
    ...(name === '' && !selector ? [requiredField(path, 'one of name or selector must be specified')] : []),
    ...required(enumOf('Deny', 'Allow'))(action, path.child('parameterNotFoundAction')),
  ];
};

const bindingFields = { policyName: required(dnsSubdomain), paramRef, matchResources };

/** Validation of admission policy bindings. */
export const policyBindingValidation: readonly ValidationEntry[] = [
  validationOf<ValidatingAdmissionPolicyBinding>('admissionregistration.k8s.io/v1/validatingadmissionpolicybindings', {
    validate: ({ spec }) => [
      ...fields<ValidatingAdmissionPolicyBinding['spec']>(bindingFields)(spec, specPath),
      ...actionFaults(spec.validationActions ?? [], specPath.child('validationActions')),
    ],
  }),
  validationOf<MutatingAdmissionPolicyBinding>('admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings', {
    validate: ({ spec }) => [
      ...fields<MutatingAdmissionPolicyBinding['spec']>(bindingFields)(spec, specPath),
      ...mutatingOperations(spec.matchResources, specPath.child('matchResources')),
    ],
  }),
];

function actionFaults(actions: readonly string[], path: FieldPath): readonly FieldError[] {
  if (actions.length === 0) return [requiredField(path, 'at least one validation action is required')];
  const faults = actions.flatMap((action, index) => [
    ...enumOf('Audit', 'Deny', 'Warn')(action, path.index(index)),
    ...(actions.indexOf(action) < index ? [duplicateField(path.index(index), action)] : []),
  ]);
  if (!actions.includes('Deny') || !actions.includes('Warn')) return faults;
  const detail =
    'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [...faults, invalidField(path, actions, detail)];
}
