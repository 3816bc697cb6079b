import {
  checkDns1035Label,
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { ExpressionChecker } from '@kubewright/apiserver/internal';
import type {
  ExpressionWarning,
  MutatingAdmissionPolicy,
  MutatingAdmissionPolicySpec,
  Mutation,
  ParamKind,
  TypeChecking,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, present, required, rule, unique } from '../validation/check.ts';
import { conditions } from '../validation/conditions.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { qualifiedName } from '../validation/rules.ts';
import { jsonPathFault } from './json-path-fault.ts';
import { policyConditions } from './match-condition-validation.ts';
import { matchResources, mutatingOperations } from './policy-binding-validation.ts';

const specPath = FieldPath.of('spec');
const celReserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const statusPath = FieldPath.of('status');

const expressionWarning: Check<ExpressionWarning> = fields<ExpressionWarning>({
  warning: required(),
  fieldRef: (text, path) => {
    const reference = (text ?? '').trim();
    if (reference === '') return [requiredField(path)];
    const fault = jsonPathFault(reference);
    return fault === undefined ? [] : [invalidField(path, reference, `invalid JSONPath: ${fault}`)];
  },
});

/** Validation of admission policies. */
export const policyValidation: readonly ValidationEntry[] = [
  validationOf<ValidatingAdmissionPolicy>('admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
    validate: ({ metadata, spec }) => [...policyFields(spec), ...validationFaults(spec, metadata.name ?? '')],
  }),
  validationOf<ValidatingAdmissionPolicy>('admissionregistration.k8s.io/v1/validatingadmissionpolicies/status', {
    validate: ({ status }) => [
      ...fields<TypeChecking>({ expressionWarnings: each(expressionWarning) })(
        status.typeChecking,
        statusPath.child('typeChecking'),
      ),
      ...conditions(status.conditions, statusPath.child('conditions')),
    ],
  }),
  validationOf<MutatingAdmissionPolicy>('admissionregistration.k8s.io/v1/mutatingadmissionpolicies', {
    validate: ({ spec }) => [
      ...policyFields(spec),
      ...mutatingOperations(spec.matchConstraints, specPath.child('matchConstraints')),
      ...required(each(mutation(checkerOf(spec, { mutations: true }))), 'mutations must contain at least one item')(
        spec.mutations,
        specPath.child('mutations'),
      ),
      ...required(enumOf('IfNeeded', 'Never'))(spec.reinvocationPolicy, specPath.child('reinvocationPolicy')),
    ],
  }),
];

type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec,
  'failurePolicy' | 'matchConditions' | 'matchConstraints' | 'paramKind' | 'variables'
>;

/** Returns a checker for a policy's expressions, which can use all its variables. */
function checkerOf({ paramKind: params, variables }: PolicySpec, options: { readonly mutations?: boolean } = {}) {
  const checker = new ExpressionChecker({ params: params !== undefined, ...options });
  for (const each of variables ?? []) checker.declare(each);
  return checker;
}

/** Rejects a blank expression. If `faultOf` is given, also rejects an expression for which it returns a reason. */
function expression(detail = '', faultOf?: (text: string) => string | undefined): Check<string> {
  return (text = '', path) => {
    if (text.trim() === '') return [requiredField(path, detail)];
    const fault = faultOf?.(text);
    return fault === undefined ? [] : [invalidField(path, text, fault)];
  };
}

const paramKind: Check<ParamKind> = (value, path) => {
  if (!value) return [];
  const { apiVersion = '', kind = '' } = value;
  const at = path.child('kind');
  const messages = checkDns1035Label(kind.toLowerCase());
  return [
    ...groupVersionFaults(apiVersion, path.child('apiVersion')),
    ...(kind === '' ? [requiredField(at)] : []),
    ...(kind !== '' && messages.length > 0
      ? [invalidField(at, kind, `may have mixed case, but should otherwise match: ${messages.join(',')}`)]
      : []),
  ];
};

function groupVersionFaults(apiVersion: string, path: FieldPath): readonly FieldError[] {
  if (apiVersion === '') return [requiredField(path)];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalidField(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const faultOf = (value: string, messages: readonly string[]): readonly FieldError[] =>
    messages.length > 0 ? [invalidField(path, value, messages.join(','))] : [];
  return [
    ...(group === '' ? [] : faultOf(group, checkDns1123Subdomain(group))),
    ...(version === ''
      ? [invalidField(path, apiVersion, 'version must be specified')]
      : faultOf(version, checkDns1035Label(version))),
  ];
}

/** Validates the variables of a policy. Each can refer to the variables before it. */
function variableList(params: boolean): Check<Variable[]> {
  const checker = new ExpressionChecker({ params });
  return each(variable(checker));
}

function variable(checker: ExpressionChecker): Check<Variable> {
  return (value, path) =>
    fields<Variable>({
      name: (name = '', path) => {
        if (name.trim() === '') return [requiredField(path, 'name is not specified')];
        if (/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !celReserved.has(name)) return [];
        return [invalidField(path, name, 'must be a valid CEL identifier')];
      },
      expression: expression('expression is not specified', (text) =>
        checker.declare({ name: value?.name ?? '', expression: text }),
      ),
    })(value, path);
}

function policyFields(spec: PolicySpec): readonly FieldError[] {
  const { matchConstraints } = spec;
  const constraintsPath = specPath.child('matchConstraints');
  return [
    ...fields<PolicySpec>({
      failurePolicy: (policy, path) =>
        policy === undefined ? [requiredField(path)] : enumOf('Fail', 'Ignore')(policy, path),
      paramKind,
      matchConstraints: (value, path) => (value ? matchResources(value, path) : [requiredField(path)]),
    })(spec, specPath),
    ...(matchConstraints && (matchConstraints.resourceRules ?? []).length === 0
      ? [requiredField(constraintsPath.child('resourceRules'))]
      : []),
    ...fields<PolicySpec>({
      matchConditions: policyConditions(spec.paramKind !== undefined),
      variables: variableList(spec.paramKind !== undefined),
    })(spec, specPath),
  ];
}

/** Rejects strings that consist of white space. Absent and empty strings are allowed. */
const notBlank: Check<string> = present(
  rule((text) => text === '' || text.trim() !== '', 'must be non-empty if specified'),
);

function validation(checker: ExpressionChecker): Check<Validation> {
  const message = expression('', (text) => checker.fault(text, ['string']));
  return fields<Validation>({
    expression: expression('expression is not specified', (text) => checker.fault(text, ['bool'])),
    messageExpression: (text = '', path) => (text.trim() === '' ? notBlank(text, path) : message(text, path)),
    message: all(notBlank, present(rule((text) => !/[\n\r]/.test(text.trim()), 'must not contain line breaks'))),
    reason: present(enumOf('Forbidden', 'Invalid', 'RequestEntityTooLarge')),
  });
}

function validationFaults(spec: ValidatingAdmissionPolicySpec, policy: string): readonly FieldError[] {
  const { validations = [], auditAnnotations = [] } = spec;
  const [validationsPath, annotationsPath] = [specPath.child('validations'), specPath.child('auditAnnotations')];
  if (validations.length === 0 && auditAnnotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    return [requiredField(validationsPath, detail), requiredField(annotationsPath, detail)];
  }
  const checker = checkerOf(spec);
  const faults = [...each(validation(checker))(validations, validationsPath)];
  const value = expression('valueExpression is not specified', (text) => checker.fault(text, ['string', 'null_type']));
  if (auditAnnotations.length > 20) {
    faults.push(invalidField(annotationsPath, auditAnnotations, 'must not have more than 20 auditAnnotations'));
  }
  for (const [index, { key, valueExpression }] of auditAnnotations.entries()) {
    const path = annotationsPath.index(index);
    faults.push(...qualifiedName(`${policy}/${key}`, path.child('key')));
    const at = path.child('valueExpression');
    if (valueExpression.trim().length <= 5120) faults.push(...value(valueExpression, at));
    else faults.push(requiredField(at, 'must not exceed 5120 bytes in length'));
  }
  return [
    ...faults,
    ...unique<{ readonly key: string }>(
      ({ key }) => key,
      (path) => path.child('key'),
    )(auditAnnotations, annotationsPath),
  ];
}

/** The field that each patch type uses. */
const patchFields = { JSONPatch: 'jsonPatch', ApplyConfiguration: 'applyConfiguration' } as const;

const mutation =
  (checker: ExpressionChecker): Check<Mutation> =>
  (value, path) => {
    const { patchType = '' } = value ?? {};
    const at = path.child('patchType');
    if (patchType === '') return [requiredField(at)];
    if (!(patchType in patchFields)) return enumOf('ApplyConfiguration', 'JSONPatch')(patchType, at);
    return Object.values(patchFields).flatMap((field) => {
      const given = value?.[field];
      if (field !== patchFields[patchType as keyof typeof patchFields]) {
        const detail = `must not be specified when patchType is ${patchType}`;
        return given === undefined ? [] : [invalidField(path.child(field), `{${field}}`, detail)];
      }
      if (given === undefined)
        return [requiredField(path.child(field), `must be specified when patchType is ${patchType}`)];
      const types = [field === 'jsonPatch' ? 'list(JSONPatch)' : 'Object'];
      const check = expression('', (text) => checker.fault(text, types));
      return check(given.expression, path.child(field, 'expression'));
    });
  };
