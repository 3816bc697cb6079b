import { systemClock, systemRandom, VirtualClock } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { jsonLogger, silentLogger } from '@kubewright/runtime';
import { expect, it } from 'vitest';
import { TestControlPlane } from '../controllers/testdata/test-control-plane.ts';
import { AddressPool, inProcessRange } from '../network/address-pool.ts';
import { simulatedNode } from '../node/index.ts';
import { MultiNodeConnector } from './multi-node-connector.ts';
import { type MadeNode, SupervisedNode } from './supervised-node.ts';

it('recreates a node if its agent stops or cannot be created', async () => {
  await using plane = await TestControlPlane.start();
  const lines: { readonly msg?: string; readonly error?: string }[] = [];
  const log = jsonLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
  const made: MadeNode[] = [];
  let attempts = 0;
  const parts = { clock: systemClock, random: systemRandom, log };
  const node = new SupervisedNode({
    ...parts,
    make: async () => {
      if (++attempts === 2) throw new Error('injected fault');
      const agent = simulatedNode({
        ...parts,
        nodeName: 'n',
        client: plane.client,
        addresses: new AddressPool(inProcessRange),
      });
      return { agent, connector: agent.connector, stop: (time) => agent.stop(time) };
    },
    onMade: (one) => made.push(one),
  });
  await node.start();
  const nodes = plane.client.resource(Node);
  await expect.poll(() => nodes.get({ name: 'n' }).catch(() => undefined)).toBeDefined();
  await made[0]?.stop({ withinMs: 0 });
  await expect.poll(() => made.length, { timeout: 30_000 }).toBe(2);
  await nodes.delete({ name: 'n' });
  await expect.poll(() => nodes.get({ name: 'n' }).catch(() => undefined), { timeout: 30_000 }).toBeDefined();
  await node.stop({ withinMs: 1_000 });
  const failed = lines.filter(({ msg }) => msg === 'node agent failed; restarting');
  expect(failed.map(({ error }) => error?.includes('injected fault') ?? false)).toEqual([false, true]);
  expect(attempts).toBe(3);
});

it('stops in time while a node is being created, and then stops that node', async () => {
  const clock = new VirtualClock();
  const stops: number[] = [];
  const agent = { run: () => Promise.reject(new Error('must not run')), started: () => Promise.resolve() };
  let finish: (node: MadeNode) => void = () => {};
  const making = new Promise<MadeNode>((resolve) => {
    finish = resolve;
  });
  const node = new SupervisedNode({ clock, log: silentLogger, make: () => making, onMade: () => stops.push(-1) });
  const started = expect(node.start()).rejects.toThrow('the node is stopping');
  const stopped = node.stop({ withinMs: 1_000 });
  await clock.advance(1_000);
  await stopped;
  finish({ agent, connector: new MultiNodeConnector(), stop: async ({ withinMs }) => void stops.push(withinMs) });
  await started;
  expect(stops).toEqual([0]);
});
