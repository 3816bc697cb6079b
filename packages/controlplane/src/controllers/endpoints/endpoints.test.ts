import { isNotFound } from '@kubewright/apimachinery';
import { Endpoints, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestControlPlane } from '../testdata/test-control-plane.ts';

const namespace = 'default';
const key = { namespace, name: 'web' };

describe('endpointsController', () => {
  let plane: TestControlPlane;
  beforeAll(async () => {
    plane = await TestControlPlane.start();
    const service = Service({
      metadata: { ...key, labels: { team: 'a' } },
      spec: { selector: { app: 'web' }, ports: [{ name: 'web', port: 80, targetPort: 'http' }] },
    });
    await plane.client.resource(Service).create(service);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  const endpoints = () => plane.client.resource(Endpoints).get(key);
  const subsets = async () => (await endpoints()).subsets;

  async function pod(name: string, state: { readonly podIP: string; readonly ready: boolean }): Promise<void> {
    const pods = plane.client.resource(Pod);
    const ports = [{ name: 'http', containerPort: 8080 }];
    await pods.create(
      Pod({
        metadata: { namespace, name, labels: { app: 'web' } },
        spec: { nodeName: 'n', containers: [{ name: 'c', image: 'app:1', ports }] },
      }),
    );
    await report(name, state);
  }
  async function report(name: string, { podIP, ready }: { readonly podIP: string; readonly ready: boolean }) {
    const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
    const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions };
    await plane.client.resource(Pod).status.patch({ namespace, name }, { type: 'merge', body: { status } });
  }
  const address = (name: string, ip: string) => ({ ip, nodeName: 'n', targetRef: { kind: 'Pod', namespace, name } });
  const ports = [{ name: 'web', port: 8080, protocol: 'TCP' }];

  it('lists ready and unready pods separately, and deletes Endpoints with their service', async () => {
    await expect
      .poll(() => endpoints().catch(String), { timeout: 30_000 })
      .toMatchObject({
        metadata: { labels: { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      });
    await pod('one', { podIP: '10.0.0.1', ready: true });
    await pod('two', { podIP: '10.0.0.2', ready: false });
    await expect
      .poll(subsets, { timeout: 30_000 })
      .toMatchObject([
        { addresses: [address('one', '10.0.0.1')], notReadyAddresses: [address('two', '10.0.0.2')], ports },
      ]);
    await report('two', { podIP: '10.0.0.2', ready: true });
    await expect
      .poll(subsets, { timeout: 30_000 })
      .toMatchObject([{ addresses: [address('one', '10.0.0.1'), address('two', '10.0.0.2')], ports }]);
    await plane.client.resource(Service).delete(key);
    await expect.poll(() => endpoints().then(() => false, isNotFound), { timeout: 30_000 }).toBe(true);
  });
});
