import {
  checkDns1123Label,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { nodeSelector } from '../core/scheduling-validation.ts';
import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, optional, required, textRule, unique } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, qualifiedName } from '../validation/rules.ts';
import { namedSet } from './device-claim-validation.ts';

const maxDevices = 128;

const versionForm =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

const attributeText: Check<string> = (text = '', path) =>
  Buffer.byteLength(text) > 64 ? [tooLongField(path, { max: 64 })] : [];

const attributeVersion: Check<string> = (text = '', path) => [
  ...(versionForm.test(text)
    ? []
    : [invalidField(path, text, 'must be a string compatible with semver.org spec 2.0.0')]),
  ...attributeText(text, path),
];

const attributeFields = ['bool', 'int', 'string', 'version', 'bools', 'ints', 'strings', 'versions'] as const;

const attribute: Check<DeviceAttribute> = (value, path) => {
  const given = attributeFields.filter((name) => value?.[name] !== undefined);
  return [
    ...fields<DeviceAttribute>({
      string: attributeText,
      version: optional(attributeVersion),
      strings: each(attributeText),
      versions: each(attributeVersion),
    })(value, path),
    ...(given.length === 1
      ? []
      : [invalidField(path, given.length === 0 ? '' : value, 'exactly one value must be specified')]),
  ];
};

/** Validates a name with an optional domain: `example.com/model`. */
function attributeName(name: string, path: FieldPath): readonly FieldError[] {
  const parts = name.split('/');
  if (parts.length > 2) return [invalidField(path, name, 'must be a C identifier or a domain and a C identifier')];
  const [domain, identifier] = parts.length === 2 ? parts : [undefined, parts[0]];
  return [
    ...(domain === undefined ? [] : dnsSubdomain(domain, path)),
    ...(/^[A-Za-z_][A-Za-z0-9_]*$/.test(identifier ?? '') ? [] : [invalidField(path, identifier, identifierForm)]),
  ];
}

const identifierForm =
  "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";

function entries<T>(check: Check<T>): Check<Record<string, T>> {
  return (map, path) =>
    Object.entries(map ?? {}).flatMap(([name, value]) => [
      ...attributeName(name, path.key(name)),
      ...check(value, path.key(name)),
    ]);
}

const singleCapacity: Check<DeviceCapacity> = (capacity, path) =>
  capacity?.requestPolicy ? [forbiddenField(path.child('requestPolicy'), 'allowMultipleAllocations must be true')] : [];

const taint: Check<DeviceTaint> = fields<DeviceTaint>({
  key: qualifiedName,
  effect: required(enumOf('NoExecute', 'NoSchedule', 'None')),
});

const counters: Check<Record<string, unknown>> = (map, path) => {
  const names = Object.keys(map ?? {});
  if (names.length === 0) return [requiredField(path)];
  return names.flatMap((name) => textRule(checkDns1123Label)(name, path));
};

const consumption: Check<DeviceCounterConsumption> = fields<DeviceCounterConsumption>({
  counterSet: required(dnsLabel),
  counters,
});

/** Validates a set of counters that the devices of a slice share. */
export const counterSet: Check<CounterSet> = fields<CounterSet>({ name: required(dnsLabel), counters });

const nodeFields = ['nodeName', 'nodeSelector', 'allNodes'] as const;

/**
 * Validates how a device selects its nodes. If the slice has per-device selection, exactly one of the fields must be
 * set. Otherwise, none may be set.
 */
function nodeFaults(
  device: Device,
  { path, perDevice }: { path: FieldPath; perDevice: boolean },
): readonly FieldError[] {
  const given = nodeFields.filter((name) => device[name] !== undefined);
  if (!perDevice) {
    const detail =
      '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
    return given.length > 0 ? [invalidField(path, null, detail)] : [];
  }
  const set = given.filter((name) => device[name] !== '' && device[name] !== false);
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [
    ...(device.nodeName === '' ? [invalidField(path.child('nodeName'), '', 'must not be empty')] : []),
    ...(device.nodeName ? dnsSubdomain(device.nodeName, path.child('nodeName')) : []),
    ...(device.nodeSelector ? nodeSelector(device.nodeSelector, path.child('nodeSelector')) : []),
    ...(device.allNodes === false
      ? [invalidField(path.child('allNodes'), false, 'must be either unset or set to true')]
      : []),
    ...(set.length === 0 ? [requiredField(path, detail)] : []),
    ...(set.length > 1 ? [invalidField(path, `{${set.map((name) => `\`${name}\``).join(', ')}}`, detail)] : []),
  ];
}

/** Validates a device's binding conditions and binding failure conditions: both or neither are set, and they do not overlap. */
export function bindingFaults(
  device: Pick<Device, 'bindingConditions' | 'bindingFailureConditions'>,
  path: FieldPath,
): readonly FieldError[] {
  const { bindingConditions: bound = [], bindingFailureConditions: failed = [] } = device;
  const [boundAt, failedAt] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  const names = unique<string>((name) => name);
  const boundNames = new Set(bound);
  const overlap = failed.flatMap((name, index) =>
    boundNames.has(name)
      ? [invalidField(failedAt.index(index), name, 'bindingFailureConditions must not overlap with bindingConditions')]
      : [],
  );
  const needsBound = 'bindingConditions are required to use bindingFailureConditions';
  const needsFailed = 'bindingFailureConditions are required to use bindingConditions';
  return [
    ...all(each(qualifiedName), names)(bound, boundAt),
    ...all(each(qualifiedName), names)(failed, failedAt),
    ...overlap,
    ...(bound.length === 0 && failed.length > 0 ? [invalidField(boundAt, null, needsBound)] : []),
    ...(failed.length === 0 && bound.length > 0 ? [invalidField(failedAt, null, needsFailed)] : []),
  ];
}

/** Validates the devices of a slice. `perDevice` is true if each device selects its own nodes. */
export function sliceDevices(perDevice: boolean): Check<Device[]> {
  const device: Check<Device> = (value, path) => {
    if (!value) return [];
    const capacity = value.allowMultipleAllocations ? () => [] : singleCapacity;
    return [
      ...fields<Device>({
        name: dnsLabel,
        attributes: entries(attribute),
        capacity: entries(capacity),
        taints: each(taint),
        consumesCounters: each(consumption),
      })(value, path),
      ...nodeFaults(value, { path, perDevice }),
      ...bindingFaults(value, path),
    ];
  };
  return namedSet(device, maxDevices);
}
