import type { EndpointPort } from '@kubewright/apimachinery/discovery/v1';
import { expect, it } from 'vitest';
import { inPortOrder } from './port-order.ts';

const port = (name: string, number: number, protocol: EndpointPort['protocol'] = 'TCP', more = {}): EndpointPort => ({
  name,
  port: number,
  protocol,
  ...more,
});

// The ports in upstream's order. Upstream's hashes of these ports begin with 32d2507b, 60c608a5, 64019b95, 96bd0897,
// d33415f5, db539259.
const ordered: readonly EndpointPort[] = [
  port('', 53, 'UDP', { appProtocol: 'kubernetes.io/h2c' }),
  port('web', 80),
  port('client', 2379),
  port('https', 8443),
  port('peer', 7000, 'SCTP'),
  port('metrics', 9090),
];

it('orders ports as the EndpointSlice library of Kubernetes does', () => {
  expect(inPortOrder(ordered)).toEqual(ordered);
  expect(inPortOrder([...ordered].reverse())).toEqual(ordered);
  expect(inPortOrder([...ordered].sort((a, b) => (a.port ?? 0) - (b.port ?? 0)))).toEqual(ordered);
});

it('returns a single port unchanged', () => {
  const ports: readonly EndpointPort[] = [port('web', 80)];
  expect(inPortOrder(ports)).toBe(ports);
});
