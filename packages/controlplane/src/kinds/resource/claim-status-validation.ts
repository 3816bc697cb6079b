import { type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { nodeSelector } from '../core/scheduling-validation.ts';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  Condition,
  DeviceAllocationConfiguration,
  DeviceAllocationResult,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaimConsumerReference,
  Resourcev1ResourceClaim,
} from '../generated/drafts.ts';
import { csiDriverName } from '../storage/csi-validation.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  immutable,
  required,
  semanticEqual,
  unique,
} from '../validation/check.ts';
import { conditions } from '../validation/conditions.ts';
import { interfaceAddress } from '../validation/ip.ts';
import { dnsLabel } from '../validation/rules.ts';
import { atMost, deviceConfiguration, rawObject, referenceSet, requestReference } from './device-claim-validation.ts';
import { poolName } from './resource-slice-validation.ts';
import { bindingFaults } from './slice-device-validation.ts';

/** Maximum length of the data that a driver reports about a device, in bytes of JSON. */
const maxData = 10 * 1024;

/** Validates the status of a claim: the devices allocated to it, their state, and the pods that may use them. */
export function claimStatusFaults(claim: Resourcev1ResourceClaim, old: Resourcev1ResourceClaim): readonly FieldError[] {
  const path = FieldPath.of('status');
  const { allocation, devices, reservedFor = [] } = claim.status ?? {};
  const { allocation: oldAllocation, reservedFor: oldReservedFor = [] } = old.status ?? {};
  const reference = requestReference(claim.spec.devices?.requests ?? []);
  const reservedAt = path.child('reservedFor');
  const isKnown = (one: ResourceClaimConsumerReference) => oldReservedFor.some((old) => semanticEqual(old, one));
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  return [
    ...consumers(reservedFor, reservedAt),
    ...deviceStatuses(allocation)(devices, path.child('devices')),
    ...(reservedFor.length > 0 && !allocation
      ? [forbiddenField(reservedAt, 'may not be specified when `allocated` is not set')]
      : []),
    ...(allocation && isDeleted && !reservedFor.every(isKnown)
      ? [
          forbiddenField(
            reservedAt,
            'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
          ),
        ]
      : []),
    ...(allocation && oldAllocation
      ? immutable(allocation, { old: oldAllocation, path: path.child('allocation') })
      : allocationResult(reference)(allocation, path.child('allocation'))),
  ];
}

const consumers: Check<ResourceClaimConsumerReference[]> = atMost(
  256,
  all<ResourceClaimConsumerReference[]>(
    each(fields<ResourceClaimConsumerReference>({ resource: required(), name: required(), uid: required() })),
    unique(({ uid }) => uid),
  ),
);

function allocationResult(reference: Check<string>): Check<AllocationResult> {
  return fields<AllocationResult>({
    devices: fields<DeviceAllocationResult>({
      results: atMost(32, each(deviceResult(reference))),
      config: atMost(64, each(deviceConfigurationOf(reference))),
    }),
    nodeSelector,
  });
}

function deviceResult(reference: Check<string>): Check<DeviceRequestAllocationResult> {
  const checks = fields<DeviceRequestAllocationResult>({
    request: reference,
    driver: csiDriverName,
    pool: poolName,
    device: dnsLabel,
  });
  return (result, path) =>
    result ? [...checks(result, path), ...bindingFaults(result, path), ...shareFaults(result.shareID, path)] : [];
}

function deviceConfigurationOf(reference: Check<string>): Check<DeviceAllocationConfiguration> {
  const own = fields<DeviceAllocationConfiguration>({
    source: required(enumOf('FromClaim', 'FromClass')),
    requests: referenceSet(reference),
  });
  return (value, path) => [...own(value, path), ...deviceConfiguration(value, path)];
}

/** The identity of a device, as upstream prints it. */
interface SharedDevice {
  readonly Driver: string;
  readonly Pool: string;
  readonly Device: string;
  readonly ShareID: string;
}

function sharedDevice(
  device: Pick<AllocatedDeviceStatus, 'driver' | 'pool' | 'device' | 'shareID'> | undefined,
): SharedDevice {
  const { driver = '', pool = '', device: name = '', shareID = '' } = device ?? {};
  return { Driver: driver, Pool: pool, Device: name, ShareID: shareID };
}

/** Validates the states of devices. Only allocated devices may have a state. */
function deviceStatuses(allocation: AllocationResult | undefined): Check<AllocatedDeviceStatus[]> {
  const key = (device: Parameters<typeof sharedDevice>[0]): string => JSON.stringify(sharedDevice(device));
  const allocated = new Set((allocation?.devices?.results ?? []).map(key));
  const status: Check<AllocatedDeviceStatus> = (device, path) => [
    ...deviceStatus(device, path),
    ...shareFaults(device?.shareID, path),
    ...(allocated.has(key(device))
      ? []
      : [invalidField(path, sharedDevice(device), 'must be an allocated device in the claim')]),
  ];
  return all(each(status), unique(key));
}

const none: Check<Condition[]> = () => [];

const network: Check<NetworkDeviceData> = fields<NetworkDeviceData>({
  interfaceName: maxBytes(256),
  hardwareAddress: maxBytes(128),
  ips: atMost(
    16,
    all<string[]>(
      each(interfaceAddress),
      unique((ip) => ip),
    ),
  ),
});

const deviceStatus: Check<AllocatedDeviceStatus> = fields<AllocatedDeviceStatus>({
  driver: csiDriverName,
  pool: poolName,
  device: dnsLabel,
  conditions: (list, path) => [...atMost(8, none)(list, path), ...conditions(list, path)],
  data: (data, path) => {
    if (data === undefined || data === null) return [];
    return Buffer.byteLength(JSON.stringify(data)) > maxData
      ? [tooLongField(path, { max: maxData })]
      : rawObject(data, path);
  },
  networkData: network,
});

function maxBytes(max: number): Check<string> {
  return (text = '', path) => (Buffer.byteLength(text) > max ? [tooLongField(path, { max })] : []);
}

function shareFaults(shareID: string | undefined, path: FieldPath): readonly FieldError[] {
  if (shareID === undefined) return [];
  const at = path.child('shareID');
  // Upstream also parses other UUID forms, and rejects them with a clearer message.
  const forms =
    /^((urn:uuid:)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}|[0-9a-f]{32})$/i;
  if (![36, 45, 38, 32].includes(Buffer.byteLength(shareID))) {
    return [invalidField(at, shareID, `error validating uid: invalid UUID length: ${Buffer.byteLength(shareID)}`)];
  }
  if (!forms.test(shareID)) return [invalidField(at, shareID, 'error validating uid: invalid UUID format')];
  if (shareID.length === 36 && shareID === shareID.toLowerCase()) return [];
  const detail =
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [invalidField(at, shareID, detail)];
}
