import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import { storedObjectReader } from '../admission/object-reader.ts';
import { MemoryStorage } from '../storage/index.ts';
import { type ResolveService, serviceResolver } from './service-resolver.ts';

describe('serviceResolver', () => {
  let storage: MemoryStorage;
  let resolve: ResolveService;
  const put = async (key: string, object: object): Promise<void> => {
    await storage.commit([{ key: `/registry/${key}`, expected: 0, bytes: Buffer.from(JSON.stringify(object)) }]);
  };
  const service = (spec: object) =>
    put('services/specs/ns/hooks', { metadata: { name: 'hooks', namespace: 'ns' }, spec });
  const slice = (name: string, more: Partial<KubernetesObject> & { ports?: unknown; endpoints?: unknown }) =>
    put(`endpointslices/ns/${name}`, {
      metadata: { name, namespace: 'ns', labels: { 'kubernetes.io/service-name': 'hooks' } },
      ...more,
    });
  const find = (port = 443) => resolve({ namespace: 'ns', name: 'hooks', port });

  beforeEach(() => {
    storage = new MemoryStorage({ clock: new VirtualClock(0) });
    resolve = serviceResolver({ storage, read: storedObjectReader(storage) });
  });

  it('rotates through ready endpoints, on the target port of the service port', async () => {
    await service({
      clusterIP: '10.96.0.9',
      ports: [
        { name: 'metrics', port: 8080 },
        { name: 'https', port: 443 },
      ],
    });
    const ports = [
      { name: 'metrics', port: 9090 },
      { name: 'https', port: 9443 },
    ];
    await slice('one', {
      ports,
      endpoints: [
        { addresses: ['127.1.0.1'], conditions: { ready: true } },
        { addresses: ['127.1.0.2'], conditions: { ready: false } },
      ],
    });
    await slice('two', { ports, endpoints: [{ addresses: ['127.1.0.3'] }] });
    await slice('strange', {
      metadata: { name: 'strange', namespace: 'ns' },
      ports,
      endpoints: [{ addresses: ['127.9.9.9'] }],
    });
    const hosts = [await find(), await find(), await find()];
    expect(hosts).toEqual([
      { host: '127.1.0.1', port: 9443 },
      { host: '127.1.0.3', port: 9443 },
      { host: '127.1.0.1', port: 9443 },
    ]);
  });

  it('reports missing objects and ports', async () => {
    await expect(find()).rejects.toThrow('service "hooks" not found');
    await service({ clusterIP: '10.96.0.9', ports: [{ port: 443 }] });
    await expect(find(81)).rejects.toThrow('no service port 81 found for service "hooks"');
    await expect(find()).rejects.toThrow('no endpoints available for service "hooks"');
    await slice('one', { ports: [{ port: 9443 }], endpoints: null });
    await expect(find()).rejects.toThrow('no endpoints available for service "hooks"');
  });

  it('returns an external name unchanged', async () => {
    await service({ type: 'ExternalName', externalName: 'hooks.example.com' });
    expect(await find(8443)).toEqual({ host: 'hooks.example.com', port: 8443 });
  });

  it('rejects a headless service', async () => {
    await service({ clusterIP: 'None', ports: [{ port: 443 }] });
    await expect(find()).rejects.toThrow('cannot route to service with ClusterIP "None"');
  });
});
