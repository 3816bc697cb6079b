import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock as clock, systemRandom as random } from '@kubewright/apimachinery';
import { Node } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasLocalNodes } from '../../packages/cli/src/dev/cluster/local-nodes.ts';

const directory = mkdtempSync(join(tmpdir(), 'kw-nodes-'));
let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ directory, clock, random, log });
});
afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
  rmSync(directory, { recursive: true, force: true });
});

describe('hasLocalNodes', () => {
  it('is true for nodes on this machine and for no nodes, false for nodes behind a tunnel', async () => {
    const client = cluster.client();
    const nodes = client.resource(Node);
    const add = async (name: string, address: string): Promise<void> => {
      await nodes.create(Node({ metadata: { name } }));
      // Patches the status: an update could conflict with controllers that change the new node.
      const status = { addresses: [{ type: 'InternalIP', address }] };
      await nodes.status.patch({ name }, { type: 'merge', body: { status } });
    };
    const here = () => hasLocalNodes({ client, environment: { clock, signal: new AbortController().signal } });
    expect(await here()).toBe(true);
    await add('elsewhere', '203.0.113.7');
    expect(await here()).toBe(false);
    await add('here', '127.0.0.1');
    expect(await here()).toBe(true);
  });
});
