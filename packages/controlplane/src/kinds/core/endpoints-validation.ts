import { isIPv4, isIPv6 } from 'node:net';
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  Discoveryv1EndpointPort,
  Endpoint,
  EndpointAddress,
  EndpointHints,
  EndpointSlice,
  EndpointSubset,
  Endpoints,
} from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  optional,
  present,
  required,
  semanticEqual,
  unique,
} from '../validation/check.ts';
import { ipAddress, specialAddress } from '../validation/ip.ts';
import { ipWarnings } from '../validation/ip-warnings.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsLabel, dnsSubdomain, labelValue, portNumber, protocol, qualifiedName } from '../validation/rules.ts';
import { tooManyField } from '../validation/too-many-field.ts';

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

/** Returns the validation of endpoints and endpoint slices. Loopback addresses are accepted only if allowed. */
export function endpointsValidation(options: { readonly allowLoopback: boolean }): readonly ValidationEntry[] {
  const { allowLoopback } = options;
  return [
    validationOf<Endpoints>('/v1/endpoints', {
      validate: ({ subsets }) => each(subset(allowLoopback))(subsets, FieldPath.of('subsets')),
    }),
    validationOf<EndpointSlice>('discovery.k8s.io/v1/endpointslices', {
      validateCreate: (slice) => sliceFaults(slice, { allowLoopback, old: undefined }),
      validateUpdate: (slice, old) => [
        ...sliceFaults(slice, { allowLoopback, old }),
        ...(slice.addressType === old.addressType
          ? []
          : [invalidField('addressType', slice.addressType, 'field is immutable')]),
      ],
      warnings: sliceWarnings,
    }),
  ];
}

function subset(allowLoopback: boolean): Check<EndpointSubset> {
  const address: Check<EndpointAddress> = (value, path) => {
    const ip = value?.ip ?? '';
    const at = path.child('ip');
    const wrong = ipAddress(ip, at);
    const others = fields<EndpointAddress>({ hostname: optional(dnsLabel), nodeName: present(dnsSubdomain) })(
      value,
      path,
    );
    // Upstream reports a malformed address twice.
    if (wrong.length > 0) return [...wrong, ...others, invalidField(at, ip, 'must be a valid IP address')];
    return [...others, ...specialAddress(ip, { path: at, allowLoopback })];
  };
  return (value, path) => {
    if (!value) return [];
    const faults: FieldError[] = [];
    if (isEmpty(value.addresses) && isEmpty(value.notReadyAddresses)) {
      faults.push(requiredField(path, 'must specify `addresses` or `notReadyAddresses`'));
    }
    faults.push(
      ...each(address)(value.addresses, path.child('addresses')),
      ...each(address)(value.notReadyAddresses, path.child('notReadyAddresses')),
    );
    const several = (value.ports ?? []).length > 1;
    for (const [index, port] of (value.ports ?? []).entries()) {
      const at = path.child('ports').index(index);
      if (several && !port.name) faults.push(requiredField(at.child('name')));
      else faults.push(...optional(dnsLabel)(port.name, at.child('name')));
      faults.push(
        ...portNumber(port.port, at.child('port')),
        ...required(protocol)(port.protocol, at.child('protocol')),
      );
      faults.push(...present(qualifiedName)(port.appProtocol, at.child('appProtocol')));
    }
    return faults;
  };
}

/** Validates a slice. Endpoints that an update does not change are not validated again. */
function sliceFaults(
  slice: EndpointSlice,
  { allowLoopback, old }: { readonly allowLoopback: boolean; readonly old: EndpointSlice | undefined },
): readonly FieldError[] {
  const path = FieldPath.of('addressType');
  const endpoints = each(endpoint(slice.addressType ?? '', allowLoopback));
  const faults = endpoints(slice.endpoints ?? undefined, FieldPath.of('endpoints'));
  return [
    ...required(enumOf(...addressTypes))(slice.addressType, path),
    ...(faults.length > 0 && old && semanticEqual(old.endpoints, slice.endpoints) ? [] : faults),
    ...slicePorts(slice.ports ?? undefined, FieldPath.of('ports')),
  ];
}

function endpoint(type: string, allowLoopback: boolean): Check<Endpoint> {
  return (value, path) => {
    const at = path.child('addresses');
    const addresses = value?.addresses ?? [];
    const faults: FieldError[] = addresses.length === 0 ? [requiredField(at, 'must contain at least 1 address')] : [];
    // Upstream does not validate the addresses of an unknown type.
    for (const [index, text] of addressTypes.includes(type) ? addresses.entries() : [])
      faults.push(...addressFaults(text, { type, at, index, allowLoopback }));
    const others = fields<Endpoint>({ hostname: present(dnsLabel), nodeName: present(dnsSubdomain) });
    return [...faults, ...others(value, path), ...hintFaults(value?.hints, path.child('hints'))];
  };
}

const maxHints = 8;

/** Validates the hints, which name the zones or nodes that an endpoint is meant for. Duplicates are rejected. */
const hintFaults: Check<EndpointHints> = (hints, path) => {
  const of = (list: 'forZones' | 'forNodes', name: Check<string>): readonly FieldError[] => {
    const at = path.child(list);
    const entries = hints?.[list] ?? [];
    const seen = new Set<string>();
    if (entries.length > maxHints) return [tooManyField(at, { count: entries.length, max: maxHints })];
    const faults: FieldError[] = [];
    for (const [index, entry] of entries.entries()) {
      const where = at.index(index).child('name');
      if (seen.has(entry.name)) faults.push(duplicateField(where, entry.name));
      faults.push(...name(entry.name ?? '', where));
      seen.add(entry.name);
    }
    return faults;
  };
  return hints ? [...of('forZones', labelValue), ...of('forNodes', dnsSubdomain)] : [];
};

const ownControllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function sliceWarnings(
  { metadata, addressType, endpoints }: EndpointSlice,
  old: EndpointSlice | undefined,
): readonly string[] {
  const deprecated = !old && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  // The built-in controllers have already normalized these addresses.
  const manager = metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '';
  if (addressType === 'FQDN' || ownControllers.includes(manager)) return deprecated;
  return [
    ...deprecated,
    ...(endpoints ?? []).flatMap(({ addresses }, index) =>
      (addresses ?? []).flatMap((address, i) =>
        ipWarnings(address, FieldPath.of('endpoints').index(index).child('addresses').index(i)),
      ),
    ),
  ];
}

function addressFaults(
  text: string,
  context: { readonly type: string; readonly at: FieldPath; readonly index: number; readonly allowLoopback: boolean },
): readonly FieldError[] {
  const { type, at, index, allowLoopback } = context;
  const path = at.index(index);
  if (type === 'FQDN') return fullDomain(text, path);
  const wrong = ipAddress(text, path);
  if (wrong.length > 0) return wrong;
  const family = type === 'IPv4' ? isIPv4(text) : isIPv6(text);
  const mixed = family ? [] : [invalidField(at, text, `must be an ${type} address`)];
  return [...mixed, ...specialAddress(text, { path, allowLoopback })];
}

const fullDomain: Check<string> = required<string>((text = '', path) => {
  const name = text.replace(/\.$/, '');
  const wrong = checkDns1123Subdomain(name);
  if (wrong.length > 0) return [invalidField(path, name, wrong.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalidField(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  const label = labels.find((one) => checkDns1123Label(one).length > 0);
  return label === undefined ? [] : [invalidField(path, label, checkDns1123Label(label).join(','))];
});

const slicePorts: Check<Discoveryv1EndpointPort[]> = (list, path) => {
  const named = unique<Discoveryv1EndpointPort>(
    ({ name }) => name,
    (at) => at.child('name'),
  );
  const rules = fields<Discoveryv1EndpointPort>({
    name: optional(dnsLabel),
    protocol: enumOf('SCTP', 'TCP', 'UDP'),
    appProtocol: present(qualifiedName),
  });
  return all<Discoveryv1EndpointPort[]>(named, each(rules))(list, path);
};
