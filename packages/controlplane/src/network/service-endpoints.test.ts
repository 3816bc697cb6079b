import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { describe, expect, it } from 'vitest';
import { endpointsOf, type ServiceEndpoint, usableEndpoints } from './service-endpoints.ts';

const slice = (parts: Partial<EndpointSlice>): EndpointSlice =>
  EndpointSlice({
    metadata: { name: 'web-1' },
    addressType: 'IPv4',
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
    endpoints: [],
    ...parts,
  });
const http = { name: 'http', port: 80 };

describe('endpointsOf', () => {
  it('uses the port with the same name and protocol', () => {
    const endpoints = [{ addresses: ['10.0.0.1'] }];
    const slices = [slice({ endpoints }), slice({ endpoints, ports: [{ name: 'metrics', port: 9090 }] })];
    expect(endpointsOf(http, slices).map(({ port }) => port)).toEqual([8080]);
    expect(endpointsOf({ port: 80 }, slices)).toEqual([]);
    expect(endpointsOf({ ...http, protocol: 'UDP' }, slices)).toEqual([]);
  });

  it('treats an endpoint without conditions as ready', () => {
    const [endpoint] = endpointsOf(http, [slice({ endpoints: [{ addresses: ['10.0.0.1'] }] })]);
    expect(endpoint).toMatchObject({ ready: true, serving: true, terminating: false });
  });

  it('skips other address families, and lists an address in two slices once', () => {
    const endpoints = [{ addresses: ['10.0.0.1'], conditions: { ready: false } }];
    const ready = [{ addresses: ['10.0.0.1'], conditions: { ready: true } }];
    const slices = [slice({ endpoints }), slice({ endpoints: ready }), slice({ addressType: 'IPv6', endpoints })];
    expect(endpointsOf(http, slices)).toMatchObject([{ host: '10.0.0.1', ready: true }]);
  });
});

describe('usableEndpoints', () => {
  const endpoint = (host: string, parts: Partial<ServiceEndpoint> = {}): ServiceEndpoint => {
    const { ready = true } = parts;
    return { host, port: 80, ready, serving: ready, terminating: false, node: 'a', ...parts };
  };
  const ready = endpoint('ready');
  const starting = endpoint('starting', { ready: false });
  const draining = endpoint('draining', { ready: false, serving: true, terminating: true });
  const ending = endpoint('ending', { ready: false, terminating: true });
  const published = endpoint('published', { ready: true, serving: false });
  const far = endpoint('far', { node: 'b' });

  it.each([
    { of: [ready, starting, draining], node: undefined, expected: ['ready'] },
    { of: [starting, draining, ending], node: undefined, expected: ['draining'] },
    { of: [starting, ending], node: undefined, expected: [] },
    { of: [published, ready], node: undefined, expected: ['published', 'ready'] },
    { of: [ready, far], node: 'b', expected: ['far'] },
    { of: [draining, far], node: 'a', expected: ['draining'] },
    { of: [far], node: 'a', expected: [] },
  ])('selects $expected', ({ of, node, expected }) => {
    expect(usableEndpoints(of, { node }).map(({ host }) => host)).toEqual(expected);
  });
});
