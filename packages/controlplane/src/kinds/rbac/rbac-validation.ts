import { type FieldError, FieldPath, invalidField, requiredField, unsupportedField } from '@kubewright/apimachinery';
import type {
  AggregationRule,
  ClusterRole,
  LabelSelector,
  PolicyRule,
  Role,
  RoleBinding,
  RoleRef,
  Subject,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, immutable, isEmpty, present, required, textRule } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment } from '../validation/names.ts';
import { dnsSubdomain, labelSelector, selects } from '../validation/rules.ts';

const rbacGroup = 'rbac.authorization.k8s.io';
const rulesPath = FieldPath.of('rules');

/** Validation of roles and bindings. */
export const rbacValidation: readonly ValidationEntry[] = [
  validationOf<Role>(`${rbacGroup}/v1/roles`, {
    validateName: checkPathSegment,
    validate: ({ rules }) => each(policyRule(true))(rules ?? [], rulesPath),
  }),
  validationOf<ClusterRole>(`${rbacGroup}/v1/clusterroles`, {
    validateName: checkPathSegment,
    validate: ({ rules, aggregationRule }) => [
      ...each(policyRule(false))(rules ?? [], rulesPath),
      ...present(aggregation)(aggregationRule, FieldPath.of('aggregationRule')),
    ],
  }),
  binding('rolebindings', ['Role', 'ClusterRole']),
  binding('clusterrolebindings', ['ClusterRole']),
];

function binding(resource: string, kinds: readonly string[]): ValidationEntry {
  return validationOf<RoleBinding>(`${rbacGroup}/v1/${resource}`, {
    validateName: checkPathSegment,
    validate: ({ roleRef, subjects }) => [
      ...roleRefFaults(roleRef, kinds),
      ...each(subject(resource === 'rolebindings'))(subjects, FieldPath.of('subjects')),
    ],
    validateUpdate: ({ roleRef }, old) =>
      immutable(roleRef, {
        old: old.roleRef,
        path: FieldPath.of('roleRef'),
        detail: 'cannot change roleRef',
        shown: { APIGroup: roleRef.apiGroup ?? '', Kind: roleRef.kind, Name: roleRef.name },
      }),
  });
}

const aggregation: Check<AggregationRule> = (rule, path) =>
  required<LabelSelector[]>(
    each<LabelSelector>((selector, at) => [
      ...labelSelector(selector, at),
      // Upstream prints the selector that it failed to build, which is null.
      ...(selects(selector ?? {}, {}) === undefined ? [invalidField(at, null, 'invalid label selector.')] : []),
    ]),
    'at least one clusterRoleSelector required if aggregationRule is non-nil',
  )(rule?.clusterRoleSelectors, path.child('clusterRoleSelectors'));

function policyRule(namespaced: boolean): Check<PolicyRule> {
  return (rule, path) => {
    if (!rule) return [];
    const faults: FieldError[] = [];
    if (isEmpty(rule.verbs)) faults.push(requiredField(path.child('verbs'), 'verbs must contain at least one value'));
    if (!isEmpty(rule.nonResourceURLs)) {
      const at = path.child('nonResourceURLs');
      const reject = (detail: string): FieldError => invalidField(at, rule.nonResourceURLs, detail);
      if (namespaced) faults.push(reject('namespaced rules cannot apply to non-resource URLs'));
      if (!isEmpty(rule.apiGroups) || !isEmpty(rule.resources) || !isEmpty(rule.resourceNames)) {
        faults.push(reject('rules cannot apply to both regular resources and non-resource URLs'));
      }
      return faults;
    }
    if (isEmpty(rule.apiGroups))
      faults.push(requiredField(path.child('apiGroups'), 'resource rules must supply at least one api group'));
    if (isEmpty(rule.resources))
      faults.push(requiredField(path.child('resources'), 'resource rules must supply at least one resource'));
    return faults;
  };
}

function roleRefFaults(ref: RoleRef, kinds: readonly string[]): readonly FieldError[] {
  const path = FieldPath.of('roleRef');
  const group = ref.apiGroup ?? '';
  return [
    ...(group === rbacGroup ? [] : [unsupportedField(path.child('apiGroup'), group, [rbacGroup])]),
    ...enumOf(...kinds)(ref.kind, path.child('kind')),
    ...required(textRule(checkPathSegment))(ref.name, path.child('name')),
  ];
}

function subject(namespaced: boolean): Check<Subject> {
  return (value, path) => {
    if (!value) return [];
    const faults: FieldError[] = value.name ? [] : [requiredField(path.child('name'))];
    const group = (wanted: string): void => {
      if ((value.apiGroup ?? '') !== wanted)
        faults.push(unsupportedField(path.child('apiGroup'), value.apiGroup ?? '', [wanted]));
    };
    if (value.kind === 'ServiceAccount') {
      if (value.name) faults.push(...dnsSubdomain(value.name, path.child('name')));
      group('');
      if (!namespaced && !value.namespace) faults.push(requiredField(path.child('namespace')));
    } else if (value.kind === 'User' || value.kind === 'Group') group(rbacGroup);
    else faults.push(unsupportedField(path.child('kind'), value.kind, ['ServiceAccount', 'User', 'Group']));
    return faults;
  };
}
