import type { ServiceReference } from '../generated/drafts.ts';
import { defaultsOf, type StructDefaultsEntry } from '../wire/struct-defaults.ts';

/** Defaults of the apiregistration group. */
export const apiregistrationDefaults: readonly StructDefaultsEntry[] = [
  defaultsOf<ServiceReference>('apiregistrationv1.ServiceReference', (reference) => {
    reference.port ??= 443;
  }),
];
