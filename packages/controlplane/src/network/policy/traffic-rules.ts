import { BlockList } from 'node:net';

/** A protocol whose ports NetworkPolicies restrict. */
export type PortProtocol = 'SCTP' | 'TCP' | 'UDP';

/** An inclusive range of ports of one protocol. `undefined` is every port. */
export interface PortRange {
  readonly protocol: PortProtocol;
  readonly ports: { readonly from: number; readonly to: number } | undefined;
}

/** Addresses in CIDR notation, without the addresses in `except`. */
export interface AddressBlock {
  readonly cidr: string;
  readonly except: readonly string[];
}

/** Traffic that a rule of a NetworkPolicy allows. */
export interface Allowance {
  /** Addresses of the peers; `undefined` allows every address. */
  readonly peers: readonly AddressBlock[] | undefined;
  /** The server's ports; `undefined` is all traffic, including other protocols. */
  readonly ports: readonly PortRange[] | undefined;
}

/** The traffic that a pod is allowed. A direction that is `undefined` is not restricted; an empty list blocks all traffic. */
export interface TrafficRules {
  readonly ingress: readonly Allowance[] | undefined;
  readonly egress: readonly Allowance[] | undefined;
}

/** A connection or datagram, from the perspective of one pod. */
export interface Traffic {
  /** Address of the peer. */
  readonly peer: string;
  /** The server's port. */
  readonly port: number;
  readonly protocol: PortProtocol;
}

/** Returns a predicate that is true for traffic allowed by any of the rules; without rules, it is always true. */
export function trafficCheck(allowances: readonly Allowance[] | undefined): (traffic: Traffic) => boolean {
  if (allowances === undefined) return () => true;
  const checks = allowances.map(({ peers, ports }) => ({ isPeer: addressCheck(peers), ports }));
  return ({ peer, port, protocol }) =>
    checks.some(
      ({ isPeer, ports }) =>
        isPeer(peer) && (ports?.some((range) => range.protocol === protocol && includes(range, port)) ?? true),
    );
}

function addressCheck(blocks: readonly AddressBlock[] | undefined): (address: string) => boolean {
  if (blocks === undefined) return () => true;
  const whole = listOf(blocks.filter(({ except }) => except.length === 0).map(({ cidr }) => cidr));
  const partial = blocks
    .filter(({ except }) => except.length > 0)
    .map(({ cidr, except }) => ({ inside: listOf([cidr]), outside: listOf(except) }));
  return (address) => {
    const family = familyOf(address);
    return (
      whole.check(address, family) ||
      partial.some(({ inside, outside }) => inside.check(address, family) && !outside.check(address, family))
    );
  };
}

function listOf(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [network = '', length] = cidr.split('/');
    list.addSubnet(network, Number(length), familyOf(network));
  }
  return list;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return address.includes(':') ? 'ipv6' : 'ipv4';
}

function includes({ ports }: PortRange, port: number): boolean {
  return ports === undefined || (port >= ports.from && port <= ports.to);
}
