import { isIPv4, isIPv6 } from 'node:net';
import {
  checkDns1123Label,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type {
  IngressClass,
  IngressClassParametersReference,
  IPAddress,
  ParentReference,
  ServiceCIDR,
} from '../generated/drafts.ts';
import {
  type Check,
  each,
  enumOf,
  fields,
  immutable,
  optional,
  present,
  required,
  textRule,
} from '../validation/check.ts';
import { cidr } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment } from '../validation/names.ts';
import { dnsSubdomain, domainPrefixedPath } from '../validation/rules.ts';

const specPath = FieldPath.of('spec');
const cidrsPath = specPath.child('cidrs');
const pathSegment = textRule(checkPathSegment);

const parentReference: Check<ParentReference> = fields<ParentReference>({
  group: optional(dnsSubdomain),
  resource: required(pathSegment),
  name: required(pathSegment),
  namespace: optional(pathSegment),
});

/** Returns a reference with Go's field names, for error messages. */
function goReference({ group = '', resource = '', namespace = '', name = '' }: ParentReference): object {
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

/** Validation of IPAddresses, ServiceCIDRs and IngressClasses. */
export const addressValidation: readonly ValidationEntry[] = [
  validationOf<IPAddress>('networking.k8s.io/v1/ipaddresses', {
    validateName: (name) =>
      isIPv4(name) || isIPv6(name) ? [] : ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'],
    validate: ({ spec }) =>
      spec.parentRef
        ? parentReference(spec.parentRef, specPath.child('parentRef'))
        : [requiredField(specPath.child('parentRef'))],
    validateUpdate: ({ spec }, old) =>
      immutable(spec.parentRef, {
        old: old.spec.parentRef,
        path: specPath.child('parentRef'),
        ...(spec.parentRef && { shown: goReference(spec.parentRef) }),
      }),
  }),
  validationOf<ServiceCIDR>('networking.k8s.io/v1/servicecidrs', {
    validateCreate: ({ spec }) => cidrFaults(spec.cidrs ?? []),
    validateUpdate: ({ spec }, old) => changedCidrFaults(spec.cidrs, old.spec.cidrs ?? []),
  }),
  validationOf<IngressClass>('networking.k8s.io/v1/ingressclasses', {
    validate: ({ spec }) => [
      ...((spec.controller ?? '').length > maxController
        ? [tooLongField(specPath.child('controller'), { max: maxController })]
        : []),
      ...required(domainPrefixedPath)(spec.controller, specPath.child('controller')),
      ...parameters(spec.parameters, specPath.child('parameters')),
    ],
    validateUpdate: ({ spec }, old) =>
      immutable(spec.controller ?? '', { old: old.spec.controller ?? '', path: specPath.child('controller') }),
  }),
];

const maxController = 250;

function cidrFaults(list: readonly string[]): readonly FieldError[] {
  if (list.length === 0) return [requiredField(cidrsPath, 'at least one CIDR required')];
  if (list.length > 2) return [invalidField(cidrsPath, { CIDRs: list }, 'may only hold up to 2 values')];
  const faults = each(cidr)(list, cidrsPath);
  if (faults.length > 0 || list.length < 2 || list[0]?.includes(':') !== list[1]?.includes(':')) return faults;
  const detail = 'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  return [invalidField(cidrsPath, list, detail)];
}

/** Rejects changes to the ranges, except that a second range may be added. */
function changedCidrFaults(given: readonly string[] | undefined, old: readonly string[]): readonly FieldError[] {
  const now = given ?? [];
  const changed = (index: number): readonly FieldError[] =>
    now[index] === old[index] ? [] : [invalidField(cidrsPath.index(index), now[index], 'field is immutable')];
  if (now.length === old.length) return old.flatMap((_, index) => changed(index));
  if (old.length === 1 && now.length === 2) return [...changed(0), ...cidrFaults(now)];
  return [invalidField(cidrsPath, given ?? null, 'field is immutable')];
}

const parameters: Check<IngressClassParametersReference> = (value, path) => {
  if (!value) return [];
  const faults = fields<IngressClassParametersReference>({
    apiGroup: present(dnsSubdomain),
    kind: required(pathSegment),
    name: required(pathSegment),
  })(value, path);
  const { scope, namespace } = value;
  if (scope === undefined || scope === null) return [...faults, requiredField(path.child('scope'))];
  const at = path.child('namespace');
  const scoped = enumOf('Cluster', 'Namespace')(scope, path.child('scope'));
  if (scope === 'Cluster' && namespace !== undefined) {
    return [...faults, forbiddenField(at, "`parameters.scope` is set to 'Cluster'")];
  }
  if (scope !== 'Namespace') return [...faults, ...scoped];
  if (namespace === undefined) return [...faults, requiredField(at, "`parameters.scope` is set to 'Namespace'")];
  return [...faults, ...checkDns1123Label(namespace).map((detail) => invalidField(at, namespace, detail))];
};
