import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
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
import { all, type Check, each, enumOf, fields, optional, required, unique } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../validation/rules.ts';
import { deviceExpression } from './device-expression.ts';

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
    const body = `Too many: ${list.length}: must have at most ${max} items`;
    return [{ type: 'FieldValueTooMany', field: String(path), body }];
  };
}

/** Validates a list with a limited number of items and unique names. */
export function namedSet<T extends { readonly name: string }>(check: Check<T>, max: number = maxItems): Check<T[]> {
  return atMost(
    max,
    all<T[]>(
      each(check),
      unique(({ name }) => name),
    ),
  );
}

const toleration: Check<DeviceToleration> = (value, path) => {
  const { key, operator = '', value: text = '', effect } = value ?? {};
  return [
    ...optional(qualifiedName)(key, path.child('key')),
    ...required(enumOf('Equal', 'Exists'))(operator, path.child('operator')),
    ...(operator === 'Exists' && text !== ''
      ? [invalidField(path.child('value'), text, 'must be empty for operator `Exists`')]
      : []),
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
  return atMost(
    maxItems,
    all<string[]>(
      each(reference),
      unique((name) => name),
    ),
  );
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

const cIdentifier = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Validates the name of an attribute, which has a domain and an identifier. */
const attribute: Check<string> = (name = '', path) => {
  const [first = '', ...rest] = name.split('/');
  const id = rest.length > 0 ? rest.join('/') : first;
  const faults: FieldError[] = [];
  if (rest.length > 0) {
    faults.push(
      ...(first === '' ? [requiredField(path, 'the domain must not be empty')] : dnsSubdomain(first, path)),
      ...(first.length > 63 ? [tooLongField(path, { max: 63 })] : []),
    );
  }
  if (id === '') faults.push(requiredField(path, 'the name must not be empty'));
  else if (!cIdentifier.test(id)) {
    const detail =
      "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
    if (id.length > 32) faults.push(tooLongField(path, { max: 32 }));
    faults.push(invalidField(path, id, detail));
  }
  if (rest.length > 0) return faults;
  return [
    ...faults,
    invalidField(path, name, 'a fully qualified name must be a domain and a name separated by a slash'),
  ];
};
