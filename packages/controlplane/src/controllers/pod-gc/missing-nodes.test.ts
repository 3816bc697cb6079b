import { Pod } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { ControllersUnderTest } from '../testdata/controllers-under-test.ts';
import { podGarbageCollector } from './pod-gc.ts';

it('forgets a missing node once it has no pods', async () => {
  await using cluster = await ControllersUnderTest.start([podGarbageCollector()]);
  const namespace = await cluster.namespace('missing');
  const pods = cluster.client.resource(Pod);
  const spec = { nodeName: 'missing', containers: [{ name: 'c', image: 'i' }] };
  const add = (name: string) => pods.create(Pod({ metadata: { name, namespace, finalizers: ['a.io/b'] }, spec }));
  const isGoing = async (name: string): Promise<boolean> =>
    (await pods.get({ namespace, name })).metadata.deletionTimestamp !== undefined;
  await add('first');
  await cluster.advance(20_000);
  await pods.patch({ namespace, name: 'first' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  await pods.delete({ namespace, name: 'first' }, { gracePeriodSeconds: 0 });
  await cluster.advance(30_000);

  await add('second');
  await cluster.advance(30_000);
  await cluster.settle();
  expect(await isGoing('second')).toBe(false);
  await cluster.advance(10_000);
  await cluster.settle();
  expect(await isGoing('second')).toBe(true);
});
