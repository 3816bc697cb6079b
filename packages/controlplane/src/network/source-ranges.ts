import { BlockList } from 'node:net';

/** Returns true for the address of a client that a load balancer admits. */
export type AdmitsClient = (address: string) => boolean;

/**
 * Returns the filter for `loadBalancerSourceRanges`; `undefined` admits every client. Mirrors kube-proxy (1.36): ranges of the
 * other address family are ignored, and a range that contains all addresses disables the filter.
 */
export function sourceFilter(ranges: readonly string[]): AdmitsClient | undefined {
  const admitted = new BlockList();
  const lengths = ranges.flatMap((range) => {
    const [, network, length] = /^([\d.]+)\/(\d+)$/.exec(range.trim()) ?? [];
    if (network === undefined) return [];
    admitted.addSubnet(network, Number(length), 'ipv4');
    return [Number(length)];
  });
  if (lengths.length === 0 || lengths.includes(0)) return undefined;
  return (address) => admitted.check(address, 'ipv4');
}
