import { isIP } from 'node:net';
import type { Endpoints } from '@kubewright/apimachinery/core/v1';
import type { Endpoint, EndpointPort } from '@kubewright/apimachinery/discovery/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { canonicalJson } from '../template-hash.ts';
import { repackSubsets, type SubsetAddress } from './repack-subsets.ts';

/** The maximum number of mirrored addresses per subset, and of endpoints per slice. */
export const maxAddresses = 1_000;

/** The content of one mirrored slice. */
export interface MirroredSlice {
  readonly family: 'IPv4' | 'IPv6';
  readonly ports: readonly EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The slices for an Endpoints object, and the number of addresses left out. */
export interface Mirror {
  readonly slices: readonly MirroredSlice[];
  /** The number of invalid IP addresses. */
  readonly invalid: number;
  /** The number of addresses that were left out, including invalid addresses. */
  readonly skipped: number;
}

/** Computes the slices that mirror an Endpoints object: one per address family and set of ports. */
export function mirroredSlices({ subsets = [] }: Endpoints): Mirror {
  const slices = new Map<string, MirroredSlice & { readonly endpoints: Endpoint[] }>();
  let invalid = 0;
  let skipped = 0;
  for (const subset of repackSubsets(subsets)) {
    const ports = subset.ports.map(({ name = '', port, protocol = 'TCP', appProtocol }): EndpointPort => {
      return { name, port, protocol, ...defined({ appProtocol }) };
    });
    let added = 0;
    for (const each of inOrder(subset.addresses)) {
      if (added >= maxAddresses) break;
      const family = isIP(each.address.ip);
      if (family === 0) {
        invalid++;
        continue;
      }
      const type = family === 6 ? 'IPv6' : 'IPv4';
      const key = `${type} ${canonicalJson(ports)}`;
      const slice = slices.get(key) ?? { family: type, ports, endpoints: [] };
      slices.set(key, slice);
      slice.endpoints.push(endpointOf(each));
      added++;
    }
    skipped += subset.addresses.length - added;
  }
  return { slices: [...slices.values()], invalid, skipped };
}

/** Returns the addresses, ready addresses first. */
function inOrder(addresses: readonly SubsetAddress[]): readonly SubsetAddress[] {
  return [...addresses.filter(({ ready }) => ready), ...addresses.filter(({ ready }) => !ready)];
}

function endpointOf({ address, ready }: SubsetAddress): Endpoint {
  const { ip, hostname, nodeName, targetRef } = address;
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...defined({ nodeName, targetRef }),
  };
}
