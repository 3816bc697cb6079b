import { isNotFound, sleep, VirtualClock } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, defineKind, requestController } from '@kubewright/runtime';
import { reconcileKey } from '@kubewright/runtime/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { type Note, NoteKind } from './programs/note.ts';

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
  await cluster.makeNamespace('once');
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

const namespace = 'once';
const note = (name: string, text: string): Note => ({
  apiVersion: 'runtime.example.com/v1',
  kind: 'Note',
  metadata: { name, namespace },
  spec: { text },
});
const copies = controller({
  for: NoteKind,
  name: 'copies',
  owns: [ConfigMap],
  desired: ({ metadata: { name }, spec: { text } }) => ({
    children: text === '' ? [] : [ConfigMap({ metadata: { name }, data: { text } })],
  }),
});

describe('reconcileKey', () => {
  it('creates the object, runs the whole pipeline and reports the writes', async () => {
    const { client } = cluster;
    const first = await reconcileKey(copies, note('a', 'hi'), { client });
    expect(first.writes).toMatchObject([
      { verb: 'apply', kind: 'ConfigMap', namespace, name: 'a', body: { data: { text: 'hi' } } },
    ]);
    expect(first.object?.spec.text).toBe('hi');
    expect((await reconcileKey(copies, { namespace, name: 'a' }, { client })).writes).toEqual([]);
    await cluster.writeNote(namespace, '', 'a');
    expect((await reconcileKey(copies, { namespace, name: 'a' }, { client })).writes).toMatchObject([
      { verb: 'delete', kind: 'ConfigMap', name: 'a' },
    ]);
    await expect(client.resource(ConfigMap).get({ namespace, name: 'a' })).rejects.toSatisfy(isNotFound);
  });

  it('reconciles a key that belongs to another shard', async () => {
    const partition = {
      owns: () => false,
      enter: () => ({ isOwned: false, [Symbol.dispose]() {} }),
      subscribe: () => ({ [Symbol.dispose]() {} }),
    };
    const shared = { ...copies, sharded: true, partition };
    const { writes } = await reconcileKey(shared, note('shard', 'hi'), { client: cluster.client });
    expect(writes).toMatchObject([{ verb: 'apply', name: 'shard' }]);
  });

  it('gives the function its clock, and reports result, events and status', async () => {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1));
    const waits = controller({
      for: NoteKind,
      name: 'waits',
      async reconcile(_note, ctx) {
        ctx.events.record({ type: 'Normal', reason: 'Begun', note: new Date(ctx.clock.now()).toISOString() });
        await sleep(ctx.clock, { ms: 60_000, signal: ctx.signal });
        ctx.events.record({ type: 'Normal', reason: 'Ended', note: new Date(ctx.clock.now()).toISOString() });
        return { requeueAfterMs: 5_000 };
      },
    });
    let isOver = false;
    const running = reconcileKey(waits, note('b', 'x'), { client: cluster.client, clock }).finally(() => {
      isOver = true;
    });
    while (!isOver) {
      await clock.advance(10_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { result, events, writes } = await running;
    expect(result).toEqual({ requeueAfterMs: 5_000 });
    expect(events.map(({ reason }) => reason)).toEqual(['Begun', 'Ended']);
    expect(writes).toEqual([]);
  });

  it('adds finalizers, and cleans up an object that is being deleted', async () => {
    const cleaned: string[] = [];
    const { client } = cluster;
    const guarded = controller({
      for: NoteKind,
      name: 'guarded',
      finalizers: { 'example.com/clean': async ({ metadata: { name } }) => void cleaned.push(name) },
      reconcile: async () => {},
    });
    const { writes, object } = await reconcileKey(guarded, note('c', 'x'), { client });
    expect(writes).toMatchObject([{ verb: 'patch', kind: 'Note', name: 'c' }]);
    expect(object?.metadata.finalizers).toEqual(['example.com/clean']);
    await client.resource(NoteKind).delete({ namespace, name: 'c' });
    const last = await reconcileKey(guarded, { namespace, name: 'c' }, { client });
    expect(cleaned).toEqual(['c']);
    expect(last.object).toBeUndefined();
  });

  it('throws the error of the function, and names a kind that is not served', async () => {
    const { client } = cluster;
    const failing = controller({
      for: NoteKind,
      name: 'failing',
      reconcile: async () => {
        throw new Error('no disk');
      },
    });
    await expect(reconcileKey(failing, note('d', 'x'), { client })).rejects.toThrow('no disk');
    const Other = defineKind<object>({ group: 'none.example.com', version: 'v1', kind: 'Other' });
    const other = controller({ for: Other, reconcile: async () => {} });
    await expect(reconcileKey(other, { name: 'x' }, { client })).rejects.toMatchObject({ code: 'KW3016' });
  });

  it('runs a request controller, and stops with its signal', async () => {
    const { client } = cluster;
    const requests = requestController({
      name: 'requests',
      reconcile: async ({ name }, ctx) => {
        if (name === 'slow')
          await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)));
        return { requeue: name === 'again' };
      },
    });
    expect(await reconcileKey(requests, { name: 'again' }, { client })).toMatchObject({ result: { requeue: true } });
    const stop = new AbortController();
    const running = reconcileKey(requests, { name: 'slow' }, { client, signal: stop.signal });
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});
