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
import {
  type Check,
  each,
  enumOf,
  fields,
  optional,
  present,
  required,
  textRule,
  unique,
} from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, labelValue, qualifiedName } from '../validation/rules.ts';
import { tooManyField } from '../validation/too-many-field.ts';
import { isEmptyList } from '../wire/empty-fields.ts';
import { sharedCapacity } from './capacity-policy-validation.ts';
import { atMost, namedSet } from './device-claim-validation.ts';
import { qualifiedEntries } from './qualified-name.ts';
import { validSet } from './valid-set.ts';

const maxDevices = 128;
/** The limit for slices with taints or counters. */
const maxAdvancedDevices = 64;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;
const maxBindingConditions = 4;

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
  // Lists are behind a feature gate. Upstream drops them before it validates, so an empty list counts as absent.
  const given = attributeFields.filter((name) => !(value?.[name] === undefined || isEmptyList(value[name])));
  return [
    ...fields<DeviceAttribute>({
      string: attributeText,
      version: present(attributeVersion),
      strings: each(attributeText),
      versions: each(attributeVersion),
    })(value, path),
    ...(given.length === 1
      ? []
      : [invalidField(path, given.length === 0 ? '' : value, 'exactly one value must be specified')]),
  ];
};

const singleCapacity: Check<DeviceCapacity> = (capacity, path) =>
  capacity?.requestPolicy ? [forbiddenField(path.child('requestPolicy'), 'allowMultipleAllocations must be true')] : [];

const taint: Check<DeviceTaint> = fields<DeviceTaint>({
  key: qualifiedName,
  value: optional(labelValue),
  effect: required(enumOf('NoExecute', 'NoSchedule', 'None')),
});

const counters: Check<Record<string, unknown>> = (map, path) => {
  const names = Object.keys(map ?? {});
  if (names.length === 0) return [requiredField(path)];
  if (names.length > maxCounters) return [tooManyField(path, { count: names.length, max: maxCounters })];
  return names.flatMap((name) => textRule(checkDns1123Label)(name, path));
};

const consumption: Check<DeviceCounterConsumption> = fields<DeviceCounterConsumption>({
  counterSet: required(dnsLabel),
  counters,
});

const counterSet: Check<CounterSet> = fields<CounterSet>({ name: required(dnsLabel), counters });

/** Validates the sets of counters that the devices of a slice share. */
export const counterSets: Check<CounterSet[]> = validSet({ max: 8, check: counterSet, key: ({ name }) => name });

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
    ...atMost(maxBindingConditions, each(qualifiedName))(device.bindingConditions, boundAt),
    ...atMost(maxBindingConditions, each(qualifiedName))(device.bindingFailureConditions, failedAt),
    ...names(bound, boundAt),
    ...names(failed, failedAt),
    ...overlap,
    ...(bound.length === 0 && failed.length > 0
      ? [invalidField(boundAt, device.bindingConditions ?? null, needsBound)]
      : []),
    ...(failed.length === 0 && bound.length > 0
      ? [invalidField(failedAt, device.bindingFailureConditions ?? null, needsFailed)]
      : []),
  ];
}

/** Validates the devices of a slice. `perDevice` is true if each device selects its own nodes. */
export function sliceDevices(perDevice: boolean): Check<Device[]> {
  const device: Check<Device> = (value, path) => {
    if (!value) return [];
    const capacity = value.allowMultipleAllocations ? sharedCapacity : singleCapacity;
    return [
      ...fields<Device>({
        name: dnsLabel,
        attributes: qualifiedEntries(attribute),
        capacity: qualifiedEntries(capacity),
        taints: atMost(maxTaints, each(taint)),
        consumesCounters: validSet({ max: maxConsumptions, check: consumption, key: ({ counterSet }) => counterSet }),
      })(value, path),
      ...nodeFaults(value, { path, perDevice }),
      ...bindingFaults(value, path),
    ];
  };
  return (devices, path) => {
    const isAdvanced = devices?.some(({ taints, consumesCounters }) => taints?.length || consumesCounters?.length);
    return namedSet(device, isAdvanced ? maxAdvancedDevices : maxDevices)(devices, path);
  };
}
