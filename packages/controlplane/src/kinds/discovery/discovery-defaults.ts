import type { Discoveryv1EndpointPort } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the discovery group. */
export const discoveryDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<Discoveryv1EndpointPort>('discoveryv1.EndpointPort', (port) => {
    port.name ??= '';
    port.protocol ??= 'TCP';
  }),
];
