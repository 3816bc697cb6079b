import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { ConfigMap, Pod, Secret, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { Connection } from '@kubewright/apiserver';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { silentLogger } from '@kubewright/runtime';
import { expect, it } from 'vitest';
import { adminIdentity, nodeIdentity } from '../../cluster/identities.ts';
import { PlaneUnderTest } from '../../kube-apiserver/testdata/plane-under-test.ts';
import { WatchedObjects } from './watched-objects.ts';

const namespace = 'default';

it('watches the objects of pods with the permissions of a node, as long as a pod needs them', async () => {
  await using plane = await PlaneUnderTest.start();
  const requests: string[] = [];
  const client = (clientCertificate: typeof adminIdentity): KubernetesClient => {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate } as const;
    const handle: typeof plane.plane.handle = async (request) => {
      const response = await plane.plane.handle(request);
      if (clientCertificate !== adminIdentity) requests.push(`${response.status} ${request.path}`);
      return response;
    };
    const transport = new InProcessTransport<Connection>({ handle, connection });
    return new KubernetesClient({ transport, clock: plane.clock, random: systemRandom, userAgent: 'test' });
  };
  const admin = client(adminIdentity);
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } } as const;
  await admin.resource(ServiceAccount).create(account);
  const create = (name: string) =>
    admin.resource(Pod).create(
      Pod({
        metadata: { name, namespace },
        spec: {
          nodeName: 'n',
          automountServiceAccountToken: false,
          containers: [{ name: 'c', image: 'i', envFrom: [{ configMapRef: { name: 'settings' } }] }],
          volumes: [{ name: 'v', secret: { secretName: `of-${name}` } }],
        },
      }),
    );
  const [a, b] = [await create('a'), await create('b')];
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings', namespace } } as const;
  await admin.resource(ConfigMap).create({ ...settings, data: { a: '1' } });
  const changes: (readonly string[])[] = [];
  using watched = new WatchedObjects({
    client: client(nodeIdentity('n')),
    clock: systemClock,
    log: silentLogger,
    changed: (uids) => changes.push(uids),
  });

  await watched.registerPod(a);
  expect(watched.configMap(namespace, 'settings')?.data).toEqual({ a: '1' });
  expect(watched.secret(namespace, 'of-a')).toBeUndefined();
  expect(watched.registerPod(a)).toBeUndefined();
  await watched.registerPod(b);

  changes.length = 0;
  await admin.resource(ConfigMap).patch({ namespace, name: 'settings' }, { type: 'merge', body: { data: { a: '2' } } });
  await expect.poll(() => watched.configMap(namespace, 'settings')?.data).toEqual({ a: '2' });
  expect(changes).toEqual([[a.metadata.uid, b.metadata.uid]]);
  await admin.resource(Secret).create(Secret({ metadata: { name: 'of-b', namespace } }));
  await expect.poll(() => watched.secret(namespace, 'of-b')).toBeDefined();
  expect(changes.at(-1)).toEqual([b.metadata.uid]);
  await admin.resource(Secret).delete({ namespace, name: 'of-b' });
  await expect.poll(() => watched.secret(namespace, 'of-b')).toBeUndefined();

  // One watch for each object, regardless of the number of pods; other objects of the namespace are not watched.
  const objects = requests
    .filter((line) => line.includes('watch='))
    .map((line) => /metadata\.name(?:=|%3D)([a-z-]+)/.exec(line)?.[1]);
  expect([...objects].sort()).toEqual(['of-a', 'of-b', 'settings']);
  changes.length = 0;
  await admin.resource(ConfigMap).create({ ...settings, metadata: { name: 'unrelated', namespace } });
  await admin.resource(ConfigMap).patch({ namespace, name: 'settings' }, { type: 'merge', body: { data: { a: '3' } } });
  await expect.poll(() => watched.configMap(namespace, 'settings')?.data).toEqual({ a: '3' });
  expect(changes).toHaveLength(1);

  watched.unregisterPod(a.metadata.uid);
  expect(watched.configMap(namespace, 'settings')).toBeDefined();
  watched.unregisterPod(b.metadata.uid);
  expect(watched.configMap(namespace, 'settings')).toBeUndefined();
  expect(requests.every((line) => line.startsWith('200 ') && line.includes('fieldSelector=metadata.name'))).toBe(true);
  expect(plane.errors).toEqual([]);
});
