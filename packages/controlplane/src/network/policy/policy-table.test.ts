import { expect, it } from 'vitest';
import { PolicyTable } from './policy-table.ts';
import type { TrafficRules } from './traffic-rules.ts';

const [client, server, node] = ['10.244.0.2', '10.244.0.3', '10.244.0.1'];
const endpoint = { host: server, port: 8080 };
const http = { protocol: 'TCP', ports: { from: 8000, to: 8080 } } as const;

function permits(rules: { readonly of: string } & TrafficRules, from = client): boolean {
  const table = new PolicyTable();
  table.set(rules.of, rules);
  return table.permits({ client: from, endpoint, protocol: 'TCP' });
}

it.each<[string, { readonly of: string } & TrafficRules, boolean]>([
  ['allows traffic that is not restricted', { of: server, ingress: undefined, egress: [] }, true],
  ['forbids traffic that the server may not receive', { of: server, ingress: [], egress: undefined }, false],
  ['forbids traffic that the client may not send', { of: client, ingress: undefined, egress: [] }, false],
  [
    'allows the ports of a rule',
    { of: server, ingress: [{ peers: [{ cidr: '10.244.0.0/24', except: [] }], ports: [http] }], egress: undefined },
    true,
  ],
  [
    'forbids other ports and protocols',
    { of: server, ingress: [{ peers: undefined, ports: [{ ...http, protocol: 'UDP' }] }], egress: undefined },
    false,
  ],
  [
    'forbids addresses that a block excepts',
    {
      of: client,
      ingress: undefined,
      egress: [{ peers: [{ cidr: '10.0.0.0/8', except: [`${server}/32`] }], ports: undefined }],
    },
    false,
  ],
])('%s', (_, rules, expected) => {
  expect(permits(rules)).toBe(expected);
});

it('allows nodes, and pods to reach themselves', () => {
  const closed = { of: server, ingress: [], egress: [] };
  expect(permits(closed, node)).toBe(true);
  expect(permits(closed, server)).toBe(true);
});

it('forgets a pod', () => {
  const table = new PolicyTable();
  table.set(server, { ingress: [], egress: undefined });
  table.delete(server);
  expect(table.permits({ client, endpoint, protocol: 'TCP' })).toBe(true);
});
