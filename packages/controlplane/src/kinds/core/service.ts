import type { BuiltinKind } from '../builtin-kind.ts';
import { builtinKind } from '../builtin-kind.ts';
import type { Service } from '../generated/drafts.ts';
import { allocateForCreate, allocateForUpdate } from './service-allocation.ts';
import type { ServiceAllocator } from './service-allocator.ts';

/** Defines Services. The allocator provides cluster IPs and node ports. */
export function services(allocator: ServiceAllocator): BuiltinKind {
  const taken = new WeakMap<Service, Taken>();
  const counting = (service: Service): ServiceAllocator => {
    const mine: Taken = { ips: [], nodePorts: [] };
    taken.set(service, mine);
    return {
      ...allocator,
      takeIp: (request) => noted(mine.ips, allocator.takeIp(request), request.dryRun),
      takeNodePort: (request) => noted(mine.nodePorts, allocator.takeNodePort(request), request.dryRun),
    };
  };
  return builtinKind<Service>({
    resource: '/v1/services',
    struct: 'v1.Service',
    allowCreateOnUpdate: true,
    subresources: { status: { allowCreateOnApply: true } },
    strategy: {
      prepareForCreate(service, { dryRun }) {
        allocateForCreate(service, { allocator: counting(service), dryRun });
      },
      prepareForUpdate(service, old, { dryRun }) {
        allocateForUpdate(service, { old, allocator: counting(service), dryRun });
      },
      abandon(service) {
        const mine = taken.get(service);
        if (mine !== undefined) allocator.giveBack(mine);
      },
    },
    claims({ spec }) {
      const ips = (spec.clusterIPs ?? []).filter((ip) => ip !== 'None');
      const nodePorts = [...(spec.ports ?? []).map(({ nodePort }) => nodePort), spec.healthCheckNodePort];
      return [...ips.map((ip) => `serviceips/${ip}`), ...nodePorts.filter(Boolean).map((port) => `nodeports/${port}`)];
    },
    fieldLabels: {
      'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
      'spec.type': ({ spec }) => spec.type ?? '',
    },
  });
}

interface Taken {
  readonly ips: string[];
  readonly nodePorts: number[];
}

function noted<T>(list: T[], value: T, dryRun: boolean): T {
  if (!dryRun) list.push(value);
  return value;
}
