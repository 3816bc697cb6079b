import { systemRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { EndpointPicker } from './endpoint-picker.ts';
import type { Route } from './service-routes.ts';

const endpoints = ['a', 'b', 'c'].map((node, i) => {
  return { host: `10.0.0.${i}`, port: 80, ready: true, serving: true, terminating: false, node };
});
const route: Route = {
  host: '10.96.0.2',
  port: 80,
  protocol: 'TCP',
  endpoints,
  near: undefined,
  affinityMs: undefined,
};

describe('EndpointPicker', () => {
  const clock = new VirtualClock();
  const picker = new EndpointPicker({ clock, random: systemRandom, nodeOf: (client) => client.split('@')[1] });
  const first = (of: Route, client: string): string | undefined => picker.pick(of, client)[0]?.host;

  it('spreads connections over all endpoints and returns each endpoint once', () => {
    const picked = new Set(Array.from({ length: 200 }, () => first(route, 'x')));
    expect([...picked].sort()).toEqual(endpoints.map(({ host }) => host));
    expect(picker.pick(route, 'x')).toHaveLength(3);
  });

  it('keeps a client at its endpoint until the affinity expires or the endpoint is removed', async () => {
    const sticky = { ...route, affinityMs: 1_000 };
    const [, b, c] = endpoints as [never, (typeof endpoints)[0], (typeof endpoints)[0]];
    picker.reached(sticky, { client: 'x', endpoint: b });
    expect(new Set(Array.from({ length: 50 }, () => first(sticky, 'x')))).toEqual(new Set([b.host]));
    expect(first({ ...sticky, endpoints: [c] }, 'x')).toBe(c.host);
    await clock.advance(1_001);
    expect(new Set(Array.from({ length: 200 }, () => first(sticky, 'x'))).size).toBe(3);
  });

  it('prefers the node of the route or of the client, and uses all endpoints for unknown clients', () => {
    expect(picker.pick({ ...route, near: { node: 'b' } }, 'x').map(({ node }) => node)).toEqual(['b']);
    expect(picker.pick({ ...route, near: 'client' }, 'x@c').map(({ node }) => node)).toEqual(['c']);
    expect(picker.pick({ ...route, near: 'client' }, 'x')).toHaveLength(3);
  });
});
