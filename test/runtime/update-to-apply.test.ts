import { setControllerReference } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const namespace = 'migrated';
const copy = controller({
  for: NoteKind,
  name: 'copy',
  owns: [ConfigMap],
  desired: ({ metadata: { name }, spec: { text } }) => ({
    children: [ConfigMap({ metadata: { name }, data: { text } })],
  }),
});

describe('children that the same manager updated before it applied', () => {
  it('lose fields that are no longer desired, but keep fields that others and later patches set', async () => {
    const { client } = cluster;
    const maps = client.resource(ConfigMap);
    const key = { namespace, name: 'a' };
    await cluster.makeNamespace(namespace);
    const note = await cluster.writeNote(namespace, 'first');
    const child = ConfigMap({ metadata: key, data: { text: 'old', stale: 'old' } });
    await maps.create(setControllerReference(child, note), { fieldManager: 'copy' });
    await maps.patch(key, { type: 'merge', body: { data: { foreign: 'kept' } } }, { fieldManager: 'someone' });

    await using manager = new Manager({ controllers: [copy], client, log: silentLogger, handleSignals: false });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const applied = await maps.waitFor(key, ({ data }) => data?.['text'] === 'first');
    expect(applied.data).toEqual({ text: 'first', foreign: 'kept' });
    const own = applied.metadata.managedFields?.filter(({ manager }) => manager === 'copy');
    expect(own?.map(({ operation }) => operation)).toEqual(['Apply']);

    await maps.patch(key, { type: 'merge', body: { data: { later: 'kept' } } }, { fieldManager: 'copy' });
    await cluster.writeNote(namespace, 'second');
    const again = await maps.waitFor(key, ({ data }) => data?.['text'] === 'second');
    expect(again.data).toEqual({ text: 'second', foreign: 'kept', later: 'kept' });
  });
});
