import { isAlreadyExists } from '@kubewright/apimachinery';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { ControllersUnderTest } from '../testdata/controllers-under-test.ts';
import { taintEvictionController } from './taint-eviction.ts';

it('measures the toleration time of a recreated pod from the creation of the new pod', async () => {
  await using cluster = await ControllersUnderTest.start([taintEvictionController()]);
  const namespace = await cluster.namespace('recreated');
  const taints = [{ key: 'a.io/b', effect: 'NoExecute' as const }];
  await cluster.client.resource(Node).create(Node({ metadata: { name: 'n' }, spec: { taints } }));
  const pods = cluster.client.resource(Pod);
  const tolerations = [{ key: 'a.io/b', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }] as const;
  const pod = Pod({
    metadata: { name: 'p', namespace },
    spec: { nodeName: 'n', tolerations: [...tolerations], containers: [{ name: 'c', image: 'i' }] },
  });
  await pods.create(pod);
  await cluster.advance(20_000);

  // Sent together, so that both events arrive before the next reconcile. The name is free after the deletion's last write.
  const recreate = (): ReturnType<typeof pods.create> =>
    pods.create(pod).catch((error) => (isAlreadyExists(error) ? recreate() : Promise.reject(error)));
  const [, { metadata }] = await Promise.all([
    pods.delete({ namespace, name: 'p' }, { gracePeriodSeconds: 0 }),
    recreate(),
  ]);
  await cluster.advance(20_000);
  await cluster.settle();
  expect((await pods.get({ namespace, name: 'p' })).metadata).toMatchObject({ uid: metadata.uid });
  expect((await pods.get({ namespace, name: 'p' })).metadata.deletionTimestamp).toBeUndefined();

  await cluster.advance(10_000);
  await cluster.settle();
  expect(await cluster.events(namespace)).toContain(
    'p: Normal TaintManagerEviction: Marking for deletion Pod recreated/p',
  );
});
