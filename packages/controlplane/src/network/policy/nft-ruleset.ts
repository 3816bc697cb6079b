import type { AddressBlock, Allowance, PortRange, TrafficRules } from './traffic-rules.ts';

/** Addresses that do not identify the pod at the other end of a connection, so pods' rules do not apply to them. */
export interface SharedAddresses {
  /**
   * Addresses of the pod's own node. It can always reach the pod: for probes, and for connections that the proxy has checked. Other
   * nodes can reach it only if a policy allows their addresses.
   */
  readonly nodes: readonly string[];
  /** Range of Services. Their proxy checks a connection once the endpoint is chosen. */
  readonly services: string;
  /** Address of the name server, a Service without a proxy; `undefined` if the cluster has no DNS. */
  readonly dns: string | undefined;
}

const table = 'inet kubewright';

/**
 * Returns the `nft -f` commands that restrict a pod to its rules. They must run in the pod's network namespace, and
 * replace earlier rules in one step. Existing connections continue.
 */
export function nftRuleset({ ingress, egress }: TrafficRules, { nodes, services, dns }: SharedAddresses): string {
  // Adding the table first lets the deletion succeed even if there is no table yet.
  const reset = [`table ${table}`, `delete table ${table}`];
  if (ingress === undefined && egress === undefined) return lines(reset);
  const passesProxy = `ip daddr ${services}${dns === undefined ? '' : ` ip daddr != ${dns}`} accept`;
  return lines([
    ...reset,
    `table ${table} {`,
    ...chain('input', {
      loopback: 'iif',
      exempt: `ip saddr { ${nodes.join(', ')} } accept`,
      allowances: ingress,
      side: 'saddr',
    }),
    ...chain('output', { loopback: 'oif', exempt: passesProxy, allowances: egress, side: 'daddr' }),
    '}',
  ]);
}

function chain(
  hook: 'input' | 'output',
  rules: {
    readonly loopback: 'iif' | 'oif';
    readonly exempt: string;
    readonly allowances: readonly Allowance[] | undefined;
    readonly side: 'daddr' | 'saddr';
  },
): readonly string[] {
  const { loopback, exempt, allowances, side } = rules;
  if (allowances === undefined) return [];
  return [
    `chain ${hook} {`,
    `type filter hook ${hook} priority filter; policy accept;`,
    `${loopback} lo accept`,
    'ct state established,related accept',
    exempt,
    ...allowances.flatMap((allowance) => accepts(allowance, side)),
    'drop',
    '}',
  ];
}

function accepts({ peers, ports }: Allowance, side: 'daddr' | 'saddr'): readonly string[] {
  const addresses = peers?.map((peer) => addressMatch(peer, side)) ?? [''];
  const services = ports?.map(portMatch) ?? [''];
  return addresses.flatMap((address) => services.map((port) => `${address}${port}accept`));
}

function addressMatch({ cidr, except }: AddressBlock, side: 'daddr' | 'saddr'): string {
  const family = cidr.includes(':') ? 'ip6' : 'ip';
  return [`${family} ${side} ${cidr} `, ...except.map((each) => `${family} ${side} != ${each} `)].join('');
}

function portMatch({ protocol, ports }: PortRange): string {
  const name = protocol.toLowerCase();
  if (ports === undefined) return `meta l4proto ${name} `;
  const { from, to } = ports;
  return `${name} dport ${from === to ? from : `${from}-${to}`} `;
}

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
