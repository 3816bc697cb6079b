import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSelector,
  DeviceSubRequest,
  DeviceToleration,
  ExactDeviceRequest,
  OpaqueDeviceConfiguration,
} from '../generated/drafts.ts';
import { csiDriverName } from '../storage/csi-validation.ts';
import { all, type Check, each, enumOf, fields, optional, required } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../validation/rules.ts';
import { tooManyField } from '../validation/too-many-field.ts';
import { deviceExpression } from './device-expression.ts';
import { deviceQualifiedName } from './qualified-name.ts';
import { validSet } from './valid-set.ts';

const maxItems = 32;

/** Validates the requests of a claim, with their constraints and configuration. */
export const deviceClaim: Check<DeviceClaim> = (claim, path) => {
  if (!claim) return [];
  const requestName = requestReference(claim.requests ?? []);
  return fields<Omit<DeviceClaim, 'requests'> & { readonly requests: DeviceRequest[] }>({
    requests: namedSet(deviceRequest),
    constraints: atMost(maxItems, each(constraint(requestName))),
    config: atMost(
      maxItems,
      each<DeviceClaimConfiguration>((config, at) => [
        ...referenceSet(requestName)(config?.requests, at.child('requests')),
        ...deviceConfiguration(config, at),
      ]),
    ),
  })({ ...claim, requests: claim.requests ?? [] }, path);
};

/** Validates the expressions that devices must match. */
export const deviceSelectors: Check<DeviceSelector[]> = atMost(
  maxItems,
  each(
    fields<DeviceSelector>({
      cel: required(fields({ expression: deviceExpression })),
    }),
  ),
);

/** Validates the parameters for a device driver. */
export const deviceConfiguration: Check<DeviceConfiguration> = fields<DeviceConfiguration>({
  opaque: required<OpaqueDeviceConfiguration>((opaque, path) => [
    ...csiDriverName(opaque?.driver, path.child('driver')),
    ...rawObject(opaque?.parameters, path.child('parameters')),
  ]),
});

/** Validates parameters in a format that their driver defines: any JSON object. */
export function rawObject(value: unknown, path: FieldPath): readonly FieldError[] {
  if (value === undefined || value === null) return [requiredField(path)];
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [invalidField(path, '<value omitted>', 'must be a valid JSON object')];
}

/** Rejects lists with too many items without checking the items. */
export function atMost<T>(max: number, check: Check<T[]>): Check<T[]> {
  return (list, path) => {
    if (list === undefined || list.length <= max) return check(list, path);
    return [tooManyField(path, { count: list.length, max })];
  };
}

/** Validates a list with a limited number of items and unique names. */
export function namedSet<T extends { readonly name: string }>(check: Check<T>, max: number = maxItems): Check<T[]> {
  return validSet({ max, check, key: ({ name }) => name });
}

const toleration: Check<DeviceToleration> = (value, path) => {
  const { key, operator = '', value: text = '', effect } = value ?? {};
  return [
    ...optional(qualifiedName)(key, path.child('key')),
    ...required(enumOf('Equal', 'Exists'))(operator, path.child('operator')),
    ...(operator === 'Exists' && text !== ''
      ? [invalidField(path.child('value'), text, 'must be empty for operator `Exists`')]
      : []),
    ...(operator === 'Equal' ? labelValue(text, path.child('value')) : []),
    ...optional(enumOf('NoExecute', 'NoSchedule', 'None'))(effect, path.child('effect')),
  ];
};

function allocationMode<T extends ExactDeviceRequest | DeviceSubRequest>(
  value: T | undefined,
  path: FieldPath,
): readonly FieldError[] {
  const { allocationMode: mode, count = 0 } = value ?? {};
  const at = path.child('count');
  if (mode === 'All') {
    return count === 0 ? [] : [invalidField(at, count, "must not be specified when allocationMode is 'All'")];
  }
  if (mode === 'ExactCount') return count > 0 ? [] : [invalidField(at, count, 'must be greater than zero')];
  return enumOf('All', 'ExactCount')(mode, path.child('allocationMode'));
}

const classFields = {
  deviceClassName: required(dnsSubdomain),
  selectors: deviceSelectors,
  tolerations: each(toleration),
};

const exactRequest: Check<ExactDeviceRequest> = all(fields<ExactDeviceRequest>(classFields), allocationMode);
const subRequest: Check<DeviceSubRequest> = all(
  fields<DeviceSubRequest>({ name: dnsLabel, ...classFields }),
  allocationMode,
);

const deviceRequest: Check<DeviceRequest> = (request, path) => {
  if (!request) return [];
  const { name, exactly, firstAvailable = [] } = request;
  const faults = [...dnsLabel(name, path.child('name'))];
  const detail = 'exactly one of `exactly` or `firstAvailable` is required';
  if (exactly && firstAvailable.length > 0) {
    return [...faults, invalidField(path, null, `${detail}, but multiple fields are set`)];
  }
  if (exactly) return [...faults, ...exactRequest(exactly, path.child('exactly'))];
  if (firstAvailable.length === 0) return [...faults, requiredField(path, detail)];
  return [...faults, ...namedSet(subRequest, 8)(firstAvailable, path.child('firstAvailable'))];
};

/** Validates a reference to one of the given requests, or to an alternative of a request: `request/alternative`. */
export function requestReference(requests: readonly DeviceRequest[]): Check<string> {
  const known = new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((sub) => `${name}/${sub.name}`)]),
  );
  return (name = '', path) => {
    const detail =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    const segments = name.split('/');
    if (segments.length > 2) return [invalidField(path, name, detail)];
    const faults = segments.flatMap((segment) => dnsLabel(segment, path));
    return known.has(name) ? faults : [...faults, invalidField(path, name, detail)];
  };
}

/** Validates a list of references to requests. */
export function referenceSet(reference: Check<string>): Check<string[]> {
  return validSet({ max: maxItems, check: reference, key: (name) => name });
}

function constraint(reference: Check<string>): Check<DeviceConstraint> {
  return (value, path) => {
    const { requests, matchAttribute, distinctAttribute } = value ?? {};
    const faults = referenceSet(reference)(requests, path.child('requests'));
    if (matchAttribute !== undefined) return [...faults, ...attribute(matchAttribute, path.child('matchAttribute'))];
    if (distinctAttribute !== undefined) {
      return [...faults, ...attribute(distinctAttribute, path.child('distinctAttribute'))];
    }
    // Upstream uses this message even if no field is set.
    const detail = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
    return [...faults, requiredField(path, detail)];
  };
}

/** Validates the name of an attribute, which must have a domain. */
const attribute: Check<string> = (name = '', path) => [
  ...deviceQualifiedName(name, path),
  ...(name.includes('/')
    ? []
    : [invalidField(path, name, 'a fully qualified name must be a domain and a name separated by a slash')]),
];
