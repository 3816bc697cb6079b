import { StatusError, seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { TestServer, withBuiltinKinds } from '../../kube-apiserver/testdata/test-server.ts';
import type { Service } from '../generated/drafts.ts';
import { allocateForCreate, allocateForUpdate } from './service-allocation.ts';
import { memoryServiceAllocator, type ServiceAllocator } from './service-allocator.ts';

interface Setup {
  readonly clock: VirtualClock;
  readonly allocator: ServiceAllocator;
}

function setup(cidr = '10.96.0.0/29'): Setup {
  const clock = new VirtualClock();
  return {
    clock,
    allocator: memoryServiceAllocator({ clock, random: seededRandom(7), cidr, nodePorts: [30_000, 30_002] }),
  };
}

function service(spec: Partial<Service['spec']>): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's' },
    spec: { type: 'ClusterIP', ports: [{ port: 80, protocol: 'TCP', targetPort: 80 }], ...spec },
    status: { loadBalancer: {} },
  };
}

describe('allocateForCreate', () => {
  it('allocates a different address to each Service until the range is full', () => {
    const { allocator } = setup();
    const made = Array.from({ length: 6 }, () => {
      const one = service({});
      allocateForCreate(one, { allocator, dryRun: false });
      return one.spec.clusterIP;
    });
    expect(new Set(made).size).toBe(6);
    expect(made.every((ip) => /^10\.96\.0\.[1-6]$/.test(ip ?? ''))).toBe(true);
    expect(() => allocateForCreate(service({}), { allocator, dryRun: false })).toThrow(
      'Service "s" is invalid: spec.clusterIPs: Invalid value: []: failed to allocate IP: range is full',
    );
  });

  it('allocates nothing in a dry run', () => {
    const { allocator } = setup();
    for (let i = 0; i < 20; i++) allocateForCreate(service({}), { allocator, dryRun: true });
    allocateForCreate(service({ clusterIP: '10.96.0.3' }), { allocator, dryRun: false });
  });

  it('rejects an address that is already in use', () => {
    const { allocator } = setup();
    allocateForCreate(service({ clusterIP: '10.96.0.3' }), { allocator, dryRun: false });
    const again = (): void => allocateForCreate(service({ clusterIP: '10.96.0.3' }), { allocator, dryRun: false });
    expect(again).toThrow(StatusError);
    expect(again).toThrow('failed to allocate IP 10.96.0.3: provided IP is already allocated');
  });

  it('frees stored addresses on deletion, and reserved addresses after a timeout', async () => {
    const { allocator, clock } = setup();
    const one = service({ clusterIP: '10.96.0.3' });
    allocateForCreate(one, { allocator, dryRun: false });
    allocator.stored({ current: one as never, previous: undefined });
    await clock.advance(120_000);
    expect(() => allocator.takeIp({ requested: '10.96.0.3', dryRun: false })).toThrow('already allocated');
    allocator.stored({ current: undefined, previous: one as never });
    expect(allocator.takeIp({ requested: '10.96.0.3', dryRun: false })).toBe('10.96.0.3');
    expect(() => allocator.takeIp({ requested: '10.96.0.3', dryRun: false })).toThrow('already allocated');
    await clock.advance(61_000);
    expect(allocator.takeIp({ requested: '10.96.0.3', dryRun: false })).toBe('10.96.0.3');
  });

  it('uses the ranges of ServiceCIDRs for requested addresses, and if the default range is full', () => {
    const { allocator } = setup('10.96.0.0/30');
    const take = (requested?: string) => allocator.takeIp({ requested, dryRun: false });
    expect(() => take('10.200.0.1')).toThrow('the provided network does not match the current range');
    const range = { metadata: { name: 'extra' }, spec: { cidrs: ['10.200.0.0/30', 'fd00::/112'] } };
    allocator.rangesStored({ current: range, previous: undefined });
    expect(take('10.200.0.1')).toBe('10.200.0.1');
    expect(() => take('10.200.0.0')).toThrow('the provided network does not match the current range');
    expect([take(), take()].sort()).toEqual(['10.96.0.1', '10.96.0.2']);
    expect(take()).toBe('10.200.0.2');
    const unready = { ...range, status: { conditions: [{ type: 'Ready', status: 'False' }] } };
    allocator.rangesStored({ current: unready, previous: range });
    expect(() => take('10.200.0.1')).toThrow('the provided network does not match the current range');
  });

  it('allocates no address to headless and ExternalName Services', () => {
    const { allocator } = setup();
    const headless = service({ clusterIP: 'None', selector: { a: 'b' } });
    allocateForCreate(headless, { allocator, dryRun: false });
    expect(headless.spec).toMatchObject({ clusterIP: 'None', clusterIPs: ['None'], ipFamilyPolicy: 'SingleStack' });
    const external = service({ type: 'ExternalName', externalName: 'a.com' });
    allocateForCreate(external, { allocator, dryRun: false });
    expect(external.spec.clusterIP).toBeUndefined();
  });

  it('uses one node port for TCP and UDP of the same port', () => {
    const { allocator } = setup();
    const both = service({
      type: 'NodePort',
      ports: [
        { name: 'a', port: 53, protocol: 'TCP', targetPort: 53 },
        { name: 'b', port: 53, protocol: 'UDP', targetPort: 53 },
      ],
    });
    allocateForCreate(both, { allocator, dryRun: false });
    expect(both.spec.ports?.[0]?.nodePort).toBeGreaterThanOrEqual(30_000);
    expect(both.spec.ports?.[1]?.nodePort).toBe(both.spec.ports?.[0]?.nodePort);
  });
});

describe('allocateForUpdate', () => {
  it('keeps the address and node ports that the client omits', () => {
    const { allocator } = setup();
    const old = service({ type: 'NodePort' });
    allocateForCreate(old, { allocator, dryRun: false });
    const next = service({ type: 'NodePort' });
    allocateForUpdate(next, { old, allocator, dryRun: false });
    expect(next.spec.clusterIP).toBe(old.spec.clusterIP);
    expect(next.spec.ports).toEqual(old.spec.ports);
  });

  it('releases node ports when the type no longer needs them, and the address when it becomes ExternalName', () => {
    const { allocator } = setup();
    const old = service({ type: 'NodePort', externalTrafficPolicy: 'Cluster' });
    allocateForCreate(old, { allocator, dryRun: false });
    const plain: Service = { ...structuredClone(old), spec: { ...structuredClone(old.spec), type: 'ClusterIP' } };
    allocateForUpdate(plain, { old, allocator, dryRun: false });
    expect(plain.spec.ports?.[0]).not.toHaveProperty('nodePort');
    expect(plain.spec).not.toHaveProperty('externalTrafficPolicy');
    const external: Service = {
      ...structuredClone(old),
      spec: { ...structuredClone(old.spec), type: 'ExternalName', externalName: 'a.com' },
    };
    allocateForUpdate(external, { old, allocator, dryRun: false });
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'])
      expect(external.spec).not.toHaveProperty(field);
  });
});

describe('a rejected Service', () => {
  it('releases only its own allocations', async () => {
    await using server = await TestServer.start(withBuiltinKinds);
    const path = '/api/v1/namespaces/default/services';
    const body = (name: string, clusterIP: string, more = {}) => {
      return { metadata: { name }, spec: { clusterIP, ports: [{ port: 80, ...more }] } };
    };
    expect((await server.post(path, body('a', '10.96.0.77', { protocol: 'BAD' }))).status).toBe(422);
    expect((await server.post(path, body('a', '10.96.0.77'))).status).toBe(201);
    expect((await server.post(path, body('b', '10.96.0.77'))).status).toBe(422);
    expect((await server.post(path, body('a', '10.96.0.78'))).status).toBe(409);
    expect((await server.post(path, body('c', '10.96.0.78'))).status).toBe(201);
    expect((await server.post(path, body('d', '10.96.0.77'))).status).toBe(422);
  });
});
