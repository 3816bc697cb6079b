import { ControllerRevision, StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { controller, defineKind, Manager, silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NoteCluster } from './note-cluster.ts';
import { polled } from './polled.ts';

// Not covered: protobuf bodies (packages/schema/src/protobuf), floating point numbers.

/** The kind of the other tests, with 64-bit integers in its spec and status. */
const Sized = defineKind<{ readonly text: string; readonly size: number }, { readonly size: number }>({
  group: 'runtime.example.com',
  version: 'v1',
  kind: 'Note',
});

const large = 9_007_199_254_740_993n;
const key = { namespace: 'default', name: 'large' };
const path = '/apis/runtime.example.com/v1/namespaces/default/notes';
const annotate = (value: string) => ({ type: 'merge', body: { metadata: { annotations: { look: value } } } }) as const;

let cluster: NoteCluster;
beforeAll(async () => {
  cluster = await NoteCluster.start();
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** Creates an object from raw JSON, so that JavaScript does not round the integer. */
async function createNote(): Promise<void> {
  const note = `{"apiVersion":"runtime.example.com/v1","kind":"Note","metadata":{"name":"${key.name}"},
    "spec":{"text":"one","size":${large},"sizes":[-9223372036854775808, 1.5]}}`;
  const headers = { 'content-type': 'application/json' };
  await cluster.client.request({ method: 'POST', path, headers, body: new TextEncoder().encode(note) });
}

describe('integers beyond 2^53', () => {
  it('reach a program as bigints, and stay exact in everything that it writes', async () => {
    await createNote();
    const notes = cluster.client.resource(Sized);
    const spec = { text: 'one', size: large, sizes: [-(2n ** 63n), 1.5] };
    const read = await notes.get(key);
    expect(read.spec).toEqual(spec);
    expect((await notes.list({ namespace: key.namespace })).items.map((each) => each.spec)).toEqual([spec]);
    for await (const event of notes.watch({ namespace: key.namespace, resourceVersion: '0' })) {
      expect(event.object).toMatchObject({ spec });
      break;
    }
    const updated = await notes.update({ ...read, metadata: { ...read.metadata, labels: { updated: 'yes' } } });
    expect([updated.metadata.labels, updated.spec]).toEqual([{ updated: 'yes' }, spec]);
    expect((await notes.patch(key, annotate('patched'))).spec).toEqual(spec);
    const body = [
      { op: 'test', path: '/spec/size', value: large },
      { op: 'add', path: '/spec/more', value: large + 2n },
    ] as const;
    expect((await notes.patch(key, { type: 'json', body })).spec).toEqual({ ...spec, more: large + 2n });
    const applied = {
      apiVersion: 'runtime.example.com/v1',
      kind: 'Note',
      metadata: key,
      spec: { ...updated.spec, text: 'two' },
    } as const;
    expect((await notes.apply(applied, { fieldManager: 'me', force: true })).spec).toMatchObject({
      text: 'two',
      size: large,
    });
    await notes.delete(key);
  });

  it('pass through the cache, applies and status of a controller, which does not repeat its writes', async () => {
    const writes: string[] = [];
    let runs = 0;
    const sizes: unknown[] = [];
    const client = cluster.client.intercepted(async (call, next) => {
      if (call.verb === 'apply') writes.push(`${call.target?.kind} ${call.target?.subresource ?? ''}`.trim());
      return next(call);
    });
    const sized = controller({
      for: Sized,
      name: 'sized',
      owns: [ConfigMap],
      desired: (note) => {
        runs++;
        sizes.push(note.spec.size);
        const data = { size: String(note.spec.size) };
        return { children: [ConfigMap({ metadata: { name: key.name }, data })], status: { size: note.spec.size } };
      },
    });
    await using manager = new Manager({
      controllers: [sized],
      client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    await createNote();
    const notes = cluster.client.resource(Sized);
    await polled(async () => (await notes.get(key)).status?.size !== undefined, 'a status');
    for (let look = 0; look < 3; look++) {
      const before = runs;
      await notes.patch(key, annotate(`${look}`));
      await polled(() => runs > before, 'a reconcile');
    }
    expect(new Set(sizes)).toEqual(new Set([large]));
    expect((await notes.get(key)).status).toMatchObject({ size: large });
    expect((await cluster.client.resource(ConfigMap).get(key)).data).toEqual({ size: `${large}` });
    expect(writes).toEqual(['ConfigMap', 'Note status']);
  });

  it('are supported in the revisions of a StatefulSet', async () => {
    const sets = cluster.client.resource(StatefulSet);
    const labels = { app: key.name };
    const set = (image: string): StatefulSet =>
      StatefulSet({
        metadata: key,
        spec: {
          replicas: 0,
          serviceName: key.name,
          selector: { matchLabels: labels },
          template: { metadata: { labels }, spec: { containers: [{ name: 'main', image }] } },
        },
      });
    const revisions = cluster.client.resource(ControllerRevision);
    const numbers = async (): Promise<unknown[]> =>
      (await revisions.list({ namespace: key.namespace, labelSelector: 'app=large' })).items.map(
        (each) => each.revision,
      );
    await sets.create(set('busybox'));
    await polled(async () => (await numbers()).length === 1, 'the first revision');
    const [first] = (await revisions.list({ namespace: key.namespace, labelSelector: 'app=large' })).items;
    await revisions.update({ ...first!, revision: large as unknown as number });
    await sets.apply(set('busybox:2'), { fieldManager: 'me', force: true });
    await polled(async () => (await numbers()).length === 2, 'the second revision');
    expect(new Set(await numbers())).toEqual(new Set([large, large + 1n]));
  });
});
