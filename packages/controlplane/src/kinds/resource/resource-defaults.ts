import type { ExactDeviceRequest } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the resource group (dynamic resource allocation). */
export const resourceDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<ExactDeviceRequest>('resourcev1.ExactDeviceRequest', defaultCount),
  defaultsOf<ExactDeviceRequest>('resourcev1.DeviceSubRequest', defaultCount),
];

function defaultCount(request: ExactDeviceRequest): void {
  request.allocationMode ||= 'ExactCount';
  if (request.allocationMode === 'ExactCount') request.count ||= 1;
}
