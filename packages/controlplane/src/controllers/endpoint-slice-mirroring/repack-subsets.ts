import type { EndpointAddress, EndpointPort, EndpointSubset } from '@kubewright/apimachinery/core/v1';
import { canonicalJson } from '../template-hash.ts';

/** An address of an Endpoints object, with its readiness. */
export interface SubsetAddress {
  readonly address: EndpointAddress;
  readonly ready: boolean;
}

/** Addresses that offer the same ports. */
export interface RepackedSubset {
  readonly ports: readonly EndpointPort[];
  readonly addresses: readonly SubsetAddress[];
}

/**
 * Regroups subsets so that ports with the same addresses are in one subset. An address that is ready in one subset but not in
 * another counts as not ready. Mirrors `RepackSubsets` (1.36).
 */
export function repackSubsets(subsets: readonly EndpointSubset[]): readonly RepackedSubset[] {
  const byPort = new Map<
    string,
    { readonly port: EndpointPort | undefined; readonly addresses: Map<string, SubsetAddress> }
  >();
  for (const { ports = [], addresses = [], notReadyAddresses = [] } of subsets) {
    // Keep the addresses of a subset without ports.
    for (const port of ports.length > 0 ? ports : [undefined]) {
      const key = canonicalJson(port ?? {});
      const offered = byPort.get(key) ?? { port, addresses: new Map<string, SubsetAddress>() };
      byPort.set(key, offered);
      for (const address of addresses) {
        const { ip, targetRef } = address;
        const id = `${ip} ${targetRef?.uid ?? ''}`;
        if (!offered.addresses.has(id)) offered.addresses.set(id, { address, ready: true });
      }
      for (const address of notReadyAddresses) {
        offered.addresses.set(`${address.ip} ${address.targetRef?.uid ?? ''}`, { address, ready: false });
      }
    }
  }
  const byAddresses = new Map<
    string,
    { readonly ports: EndpointPort[]; readonly addresses: readonly SubsetAddress[] }
  >();
  for (const { port, addresses } of byPort.values()) {
    const sorted = [...addresses].sort(([a], [b]) => (a < b ? -1 : 1));
    const key = JSON.stringify(sorted.map(([id, { ready }]) => [id, ready]));
    const subset = byAddresses.get(key) ?? { ports: [], addresses: sorted.map(([, address]) => address) };
    if (port) subset.ports.push(port);
    byAddresses.set(key, subset);
  }
  return [...byAddresses.values()];
}
