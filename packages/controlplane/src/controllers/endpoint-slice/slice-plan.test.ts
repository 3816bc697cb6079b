import type { Stored } from '@kubewright/apimachinery';
import { type Endpoint, EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { describe, expect, it } from 'vitest';
import { planSlices, sliceSize } from './slice-plan.ts';

const ports = [{ name: 'web', port: 80, protocol: 'TCP' as const }];
const endpoint = (n: number, ready = true): Endpoint => ({
  addresses: [`10.0.${Math.floor(n / 200)}.${n % 200}`],
  conditions: { ready },
  targetRef: { kind: 'Pod', uid: `uid-${n}` },
});
const range = (from: number, to: number): Endpoint[] => Array.from({ length: to - from }, (_, i) => endpoint(from + i));
const slice = (name: string, endpoints: readonly Endpoint[]): Stored<EndpointSlice> =>
  stored(EndpointSlice({ metadata: { name }, addressType: 'IPv4', endpoints, ports }));

describe('planSlices', () => {
  it('adds up to 100 endpoints to a slice', () => {
    const { create } = planSlices([{ ports, endpoints: range(0, 250) }], []);
    expect(create.map(({ endpoints }) => endpoints.length)).toEqual([sliceSize, sliceSize, 50]);
  });

  it('plans no writes if nothing has changed', () => {
    const existing = [slice('a', range(0, 100)), slice('b', range(100, 150))];
    const plan = planSlices([{ ports, endpoints: range(0, 150).reverse() }], existing);
    expect(plan).toEqual({ create: [], update: [], remove: [] });
  });

  it('updates only the slice whose endpoint changed', () => {
    const existing = [slice('a', range(0, 100)), slice('b', range(100, 150))];
    const endpoints = [...range(0, 149), endpoint(149, false)];
    const { update, create, remove } = planSlices([{ ports, endpoints }], existing);
    expect(update.map((each) => each.slice.metadata.name)).toEqual(['b']);
    expect(update[0]?.endpoints.at(-1)).toEqual(endpoint(149, false));
    expect([create, remove]).toEqual([[], []]);
  });

  it('fills the fullest slice that has room', () => {
    const existing = [slice('few', range(0, 10)), slice('many', range(10, 99))];
    const { update, create } = planSlices([{ ports, endpoints: range(0, 105) }], existing);
    expect(update.map((each) => [each.slice.metadata.name, each.endpoints.length]).sort()).toEqual([['many', 95]]);
    expect(create).toEqual([]);
  });

  it('removes empty slices and slices with other ports', () => {
    const other = { ...slice('other', range(0, 1)), ports: [{ name: 'web', port: 81, protocol: 'TCP' as const }] };
    const { remove } = planSlices(
      [{ ports, endpoints: range(0, 5) }],
      [slice('a', range(0, 5)), slice('b', range(5, 6)), other],
    );
    expect(remove.map(({ metadata }) => metadata.name)).toEqual(['other', 'b']);
  });

  it('keeps one empty slice for a service without endpoints', () => {
    const none = { ports: [], endpoints: [] };
    expect(planSlices([none], []).create).toEqual([none]);
    expect(planSlices([none], [{ ...slice('a', []), ports: [] }])).toEqual({ create: [], update: [], remove: [] });
  });
});
