import type { BuiltinKind } from '../builtin-kind.ts';
import { builtinKind } from '../builtin-kind.ts';
import type { Service } from '../generated/drafts.ts';
import { allocateForCreate, allocateForUpdate } from './service-allocation.ts';
import type { ServiceAllocator } from './service-allocator.ts';

/** Services. Cluster IPs and node ports come from the allocator. */
export function services(allocator: ServiceAllocator): BuiltinKind {
  return builtinKind<Service>({
    resource: '/v1/services',
    struct: 'v1.Service',
    allowCreateOnUpdate: true,
    strategy: {
      prepareForCreate(service, { dryRun }) {
        allocateForCreate(service, { allocator, dryRun });
      },
      prepareForUpdate(service, old, { dryRun }) {
        allocateForUpdate(service, { old, allocator, dryRun });
      },
    },
    fieldLabels: {
      'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
      'spec.type': ({ spec }) => spec.type ?? '',
    },
  });
}
