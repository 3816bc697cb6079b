import { Node } from '@kubewright/apimachinery/core/v1';
import { expect, it } from 'vitest';
import { ControllersUnderTest } from '../testdata/controllers-under-test.ts';
import { nodeTtlController, stepFor } from './node-ttl.ts';

it('annotates a node with the TTL for the cluster size', async () => {
  await using cluster = await ControllersUnderTest.start([nodeTtlController()]);
  const nodes = cluster.client.resource(Node);
  await nodes.create(Node({ metadata: { name: 'a' } }));
  await cluster.settle();
  const { metadata } = await nodes.get({ name: 'a' });
  expect(metadata.annotations).toEqual({ 'node.alpha.kubernetes.io/ttl': '0' });
  expect(cluster.rejections).toEqual([]);
});

it.each([
  [50, 0, 0],
  [100, 0, 0],
  [101, 0, 1],
  [95, 1, 1],
  [89, 1, 0],
  [5_000, 0, 4],
  [0, 4, 0],
])('with %i nodes, changes from step %i to step %i', (nodes, before, step) => {
  expect(stepFor(nodes, before)).toBe(step);
});
