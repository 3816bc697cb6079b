import { seededRandom } from '@kubewright/apimachinery';
import { Node, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { Connection } from '@kubewright/apiserver';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { Manager, silentLogger } from '@kubewright/runtime';
import { expect, it } from 'vitest';
import type { Identity } from '../../cluster/identities.ts';
import { adminIdentity, controllerIdentity, controllerManagerIdentity } from '../../cluster/identities.ts';
import { SplitIdentityTransport } from '../../cluster/split-identity-transport.ts';
import { PlaneUnderTest } from '../../kube-apiserver/testdata/plane-under-test.ts';
import { podGarbageCollector } from './pod-gc.ts';

const namespace = 'default';

it('deletes the pods of a deleted node after 40 s, under its own account, and reports the reason in their status', async () => {
  await using plane = await PlaneUnderTest.start();
  const { clock } = plane;
  const random = seededRandom(2);
  const transport = (clientCertificate: Identity) => {
    const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process', clientCertificate } as const;
    return new InProcessTransport<Connection>({ handle: plane.plane.handle, connection });
  };
  const parts = { clock, random, userAgent: 'test' };
  const client = new KubernetesClient({ transport: transport(adminIdentity), ...parts });
  const { account, definition } = podGarbageCollector();
  const own = new SplitIdentityTransport({
    informers: transport(controllerManagerIdentity),
    actor: transport(controllerIdentity(account)),
  });
  await client.resource(ServiceAccount).create(
    ServiceAccount({
      metadata: { name: 'default', namespace },
    }),
  );
  const pods = client.resource(Pod);
  for (const name of ['stays', 'goes']) {
    await client.resource(Node).create(Node({ metadata: { name } }));
    const spec = { nodeName: name, containers: [{ name: 'c', image: 'i' }] };
    await pods.create(Pod({ metadata: { name, namespace, finalizers: ['a.io/b'] }, spec }));
  }
  await using manager = new Manager({
    controllers: [definition],
    client: new KubernetesClient({ transport: own, ...parts }),
    clock,
    random,
    log: silentLogger,
    watchdog: false,
    handleSignals: false,
  });
  void manager.run();
  await manager.started();
  await client.resource(Node).delete({ name: 'goes' });

  let waitedMs = 0;
  const isGoing = async (): Promise<boolean> => {
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
    return (await pods.get({ namespace, name: 'goes' })).metadata.deletionTimestamp !== undefined;
  };
  for (; !(await isGoing()) && waitedMs < 120_000; waitedMs += 5_000) await clock.advance(5_000);
  expect(waitedMs).toBeGreaterThanOrEqual(40_000);
  const gone = await pods.get({ namespace, name: 'goes' });
  expect(gone.metadata.deletionGracePeriodSeconds).toBe(0);
  expect(gone.status).toMatchObject({
    phase: 'Failed',
    conditions: [{ type: 'DisruptionTarget', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' }],
  });
  expect((await pods.get({ namespace, name: 'stays' })).metadata.deletionTimestamp).toBeUndefined();
});
