import { isIPv4, isIPv6 } from 'node:net';
import {
  checkDns1123Subdomain,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  NetworkPolicy,
  NetworkPolicyEgressRule,
  NetworkPolicyIngressRule,
  NetworkPolicyPeer,
  NetworkPolicyPort,
  TypedLocalObjectReference,
} from '../generated/drafts.ts';
import {
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  optional,
  present,
  required,
  textRule,
} from '../validation/check.ts';
import { cidr, parseCidr } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment } from '../validation/names.ts';
import { dnsLabel, dnsSubdomain, labelSelector, portNumber, portNumberOrName } from '../validation/rules.ts';
import { ingressAddress } from './load-balancer-status.ts';

const specPath = FieldPath.of('spec');
const subdomain = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';

/** Validation of the networking group. */
export const networkingValidation: readonly ValidationEntry[] = [
  validationOf<Ingress>('networking.k8s.io/v1/ingresses', { validate: ({ spec }) => ingressFaults(spec) }),
  validationOf<Ingress>('networking.k8s.io/v1/ingresses/status', {
    validate: ({ status }) =>
      each(ingressAddress)(status.loadBalancer.ingress, FieldPath.of('status', 'loadBalancer', 'ingress')),
  }),
  validationOf<NetworkPolicy>('networking.k8s.io/v1/networkpolicies', {
    validate: ({ spec }) => [
      ...labelSelector(spec.podSelector, specPath.child('podSelector')),
      ...each(fields<NetworkPolicyIngressRule>({ ports: each(policyPort), from: each(peer) }))(
        spec.ingress,
        specPath.child('ingress'),
      ),
      ...each(fields<NetworkPolicyEgressRule>({ ports: each(policyPort), to: each(peer) }))(
        spec.egress,
        specPath.child('egress'),
      ),
      ...each(enumOf('Ingress', 'Egress'))(spec.policyTypes, specPath.child('policyTypes')),
    ],
  }),
];

function ingressFaults(spec: Ingress['spec']): readonly FieldError[] {
  return [
    ...(isEmpty(spec.rules) && !spec.defaultBackend
      ? [invalidField(specPath, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified')]
      : []),
    ...each(ingressRule)(spec.rules, specPath.child('rules')),
    ...present(backend)(spec.defaultBackend, specPath.child('defaultBackend')),
    ...present(dnsSubdomain)(spec.ingressClassName, specPath.child('ingressClassName')),
    ...each(
      fields<{ hosts?: string[] | undefined; secretName?: string | undefined }>({
        hosts: each(host),
        secretName: optional(dnsSubdomain),
      }),
    )(spec.tls, specPath.child('tls')),
  ];
}

const host: Check<string> = (value = '', path) =>
  value.includes('*') ? wildcard(value, path) : dnsSubdomain(value, path);

const wildcard: Check<string> = textRule((value) =>
  value.startsWith('*.') && checkDns1123Subdomain(value.slice(2)).length === 0
    ? []
    : [
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character " +
          `(e.g. '*.example.com', regex used for validation is '\\*\\.${subdomain}')`,
      ],
);

const ingressRule: Check<IngressRule> = (value, path) => {
  if (!value) return [];
  const at = path.child('host');
  const address = isIPv4(value.host ?? '') || isIPv6(value.host ?? '');
  const faults = [
    ...(address ? [invalidField(at, value.host, 'must be a DNS name, not an IP address')] : []),
    ...optional(host)(value.host, at),
  ];
  const paths = path.child('http', 'paths');
  return value.http ? [...faults, ...required(each(httpPath))(value.http.paths ?? undefined, paths)] : faults;
};

const httpPath: Check<HTTPIngressPath> = (value, path) => {
  if (!value) return [];
  const faults = pathFaults(value, path);
  // Upstream skips the remaining checks if the path type is missing.
  if (value.pathType === undefined || value.pathType === null) return faults;
  return [...faults, ...backend(value.backend, path.child('backend'))];
};

function pathFaults({ pathType, path: text = '' }: HTTPIngressPath, path: FieldPath): readonly FieldError[] {
  const at = path.child('pathType');
  if (pathType === undefined || pathType === null) return [requiredField(at, 'pathType must be specified')];
  const known = enumOf('Exact', 'ImplementationSpecific', 'Prefix')(pathType, at);
  if (known.length > 0) return known;
  if (pathType === 'ImplementationSpecific' && text === '') return [];
  const where = path.child('path');
  const faults = text.startsWith('/') ? [] : [invalidField(where, text, 'must be an absolute path')];
  if (pathType === 'ImplementationSpecific') return faults;
  for (const part of ['//', '/./', '/../', '%2f', '%2F'])
    if (text.includes(part)) faults.push(invalidField(where, text, `must not contain '${part}'`));
  for (const end of ['/..', '/.'])
    if (text.endsWith(end)) faults.push(invalidField(where, text, `cannot end with '${end}'`));
  return faults;
}

const resourceBackend: Check<TypedLocalObjectReference> = fields<TypedLocalObjectReference>({
  apiGroup: present(dnsSubdomain),
  kind: required(textRule(checkPathSegment)),
  name: required(textRule(checkPathSegment)),
});

const backend: Check<IngressBackend> = (value, path) => {
  const service = value?.service;
  const faults: FieldError[] = [];
  if (value?.resource && service) return [invalidField(path, '', 'cannot set both resource and service backends')];
  if (value?.resource) return resourceBackend(value.resource, path.child('resource'));
  if (!service) return [invalidField(path, '', 'resource or service backend is required')];
  const { name, number } = service.port;
  faults.push(...required(dnsLabel)(service.name, path.child('service', 'name')));
  if (name && number) faults.push(invalidField(path, '', 'cannot set both port name & port number'));
  else if (name) faults.push(...portNumberOrName(name, path.child('service', 'port', 'name')));
  else if (number) faults.push(...portNumber(number, path.child('service', 'port', 'number')));
  else faults.push(requiredField(path, 'port name or number is required'));
  return faults;
};

const policyPort: Check<NetworkPolicyPort> = (value, path) => {
  if (!value) return [];
  const faults: FieldError[] = [...present(enumOf('TCP', 'UDP', 'SCTP'))(value.protocol, path.child('protocol'))];
  const { port, endPort } = value;
  if (port !== undefined) faults.push(...portNumberOrName(port, path.child('port')));
  if (endPort === undefined) return faults;
  const at = path.child('endPort');
  if (port === undefined) faults.push(invalidField(at, endPort, 'may not be specified when `port` is not specified'));
  else if (typeof port === 'string')
    faults.push(invalidField(at, endPort, 'may not be specified when `port` is non-numeric'));
  else if (endPort < port) faults.push(invalidField(at, port, 'must be greater than or equal to `port`'));
  return faults;
};

const peer: Check<NetworkPolicyPeer> = (value, path) => {
  const parts = ['podSelector', 'namespaceSelector', 'ipBlock'] as const;
  const given = parts.filter((part) => value?.[part]);
  if (!value || given.length === 0) return [requiredField(path, 'must specify a peer')];
  const faults: FieldError[] = [
    ...present(labelSelector)(value.podSelector, path.child('podSelector')),
    ...present(labelSelector)(value.namespaceSelector, path.child('namespaceSelector')),
    ...ipBlockFaults(value, path.child('ipBlock')),
  ];
  const mixed = value.ipBlock && given.length > 1;
  return mixed ? [...faults, forbiddenField(path, 'may not specify both ipBlock and another peer')] : faults;
};

function ipBlockFaults({ ipBlock }: NetworkPolicyPeer, path: FieldPath): readonly FieldError[] {
  if (!ipBlock) return [];
  const outer = parseCidr(ipBlock.cidr);
  if (!outer) return required(cidr)(ipBlock.cidr, path.child('cidr'));
  return (ipBlock.except ?? []).flatMap((text, index) => {
    const at = path.child('except').index(index);
    const inner = parseCidr(text);
    if (!inner) return cidr(text, at);
    const within = inner.bits.startsWith(outer.bits) && inner.length > outer.length;
    return within ? [] : [invalidField(at, text, 'must be a strict subset of `cidr`')];
  });
}
