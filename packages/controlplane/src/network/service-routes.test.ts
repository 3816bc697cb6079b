import { Service } from '@kubewright/apimachinery/core/v1';
import { EndpointSlice } from '@kubewright/apimachinery/discovery/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { serviceRoutes } from './service-routes.ts';
import { sourceFilter } from './source-ranges.ts';

const slices: readonly EndpointSlice[] = [
  EndpointSlice({
    metadata: { name: 'web-1' },
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: [{ addresses: ['127.9.1.1'], nodeName: 'a' }],
  }),
];
const nodes = [{ name: 'a', ip: '127.9.0.1' }];
const ports = [{ port: 80 }];
const routesOf = (spec: Service['spec'], parts: Partial<Service> = {}) =>
  serviceRoutes({ ...Service({ metadata: { name: 'web' }, ...defined({ spec }) }), ...parts }, { slices, nodes }).map(
    ({ host, port, near }) => [`${host}:${port}`, near] as const,
  );

describe('serviceRoutes', () => {
  it('routes the cluster IP', () => {
    expect(routesOf({ clusterIP: '127.8.0.2', ports })).toEqual([['127.8.0.2:80', undefined]]);
  });

  it.each([
    { name: 'headless services', spec: { clusterIP: 'None', ports } },
    { name: 'external names', spec: { type: 'ExternalName', externalName: 'example.com', ports } },
    { name: 'services without an address yet', spec: { ports } },
    { name: 'SCTP', spec: { clusterIP: '127.8.0.2', ports: [{ port: 80, protocol: 'SCTP' }] } },
  ] as const)('routes nothing for $name', ({ spec }) => {
    expect(routesOf(spec)).toEqual([]);
  });

  it('ignores services of other proxies', () => {
    const metadata = { name: 'web', labels: { 'service.kubernetes.io/service-proxy-name': 'other' } };
    expect(routesOf({ clusterIP: '127.8.0.2', ports }, { metadata })).toEqual([]);
  });

  it('routes node ports on this machine and on every node', () => {
    const spec = { type: 'NodePort', clusterIP: '127.8.0.2', ports: [{ port: 80, nodePort: 30_080 }] } as const;
    expect(routesOf(spec).slice(1)).toEqual([
      ['127.0.0.1:30080', undefined],
      ['127.9.0.1:30080', undefined],
    ]);
    expect(routesOf({ ...spec, externalTrafficPolicy: 'Local' }).at(-1)?.[1]).toEqual({ node: 'a' });
  });

  it('routes external IPs and the addresses of the load balancer', () => {
    const spec = { type: 'LoadBalancer', clusterIP: '127.8.0.2', externalIPs: ['127.8.9.9'], ports } as const;
    const status = { loadBalancer: { ingress: [{ ip: '127.8.128.2' }, { hostname: 'example.com' }] } };
    expect(routesOf(spec, { status })).toEqual([
      ['127.8.0.2:80', undefined],
      ['127.8.9.9:80', undefined],
      ['127.8.128.2:80', undefined],
    ]);
  });

  it('ignores addresses whose load balancer itself connects to the service', () => {
    const spec = { type: 'LoadBalancer', clusterIP: '127.8.0.2', ports } as const;
    const status = { loadBalancer: { ingress: [{ ip: '127.8.128.2', ipMode: 'Proxy' }] } };
    expect(routesOf(spec, { status })).toEqual([['127.8.0.2:80', undefined]]);
  });

  it('admits clients of the source ranges to the load balancer only', () => {
    const loadBalancerSourceRanges = [' 127.0.0.0/24', '2001:db8::/32'];
    const service = Service({
      metadata: { name: 'web' },
      spec: {
        type: 'LoadBalancer',
        clusterIP: '127.8.0.2',
        loadBalancerSourceRanges,
        ports: [{ port: 80, nodePort: 30_080 }],
      },
    });
    const status = { loadBalancer: { ingress: [{ ip: '127.8.128.2' }] } };
    const admitted = serviceRoutes({ ...service, status }, { slices, nodes }).map(({ host, admits }) => [
      host,
      ['127.0.0.1', '127.0.1.1'].map((client) => admits?.(client)),
    ]);
    expect(admitted).toEqual([
      ['127.8.0.2', [undefined, undefined]],
      ['127.8.128.2', [true, false]],
      ['127.0.0.1', [undefined, undefined]],
      ['127.9.0.1', [undefined, undefined]],
    ]);
  });

  it.each([[[]], [['2001:db8::/32']], [['10.0.0.0/8', '0.0.0.0/0']]])(
    'admits everyone with the ranges %j',
    (ranges) => {
      expect(sourceFilter(ranges)).toBeUndefined();
    },
  );

  it('keeps clients on their node and at their endpoint if the service requests it', () => {
    const spec = { clusterIP: '127.8.0.2', ports, internalTrafficPolicy: 'Local' } as const;
    expect(routesOf(spec)).toEqual([['127.8.0.2:80', 'client']]);
    const sessionAffinityConfig = { clientIP: { timeoutSeconds: 5 } };
    const service = Service({
      metadata: { name: 'web' },
      spec: { ...spec, sessionAffinity: 'ClientIP', sessionAffinityConfig },
    });
    expect(serviceRoutes(service, { slices, nodes })[0]?.affinityMs).toBe(5_000);
  });
});
