import {
  type Clock,
  systemClock as clock,
  isDeleting,
  isNotFound,
  systemRandom as random,
  type Stored,
  setControllerReference,
  type UnstructuredObject,
  VirtualClock,
} from '@kubewright/apimachinery';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient, ResourceClient } from '@kubewright/client';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger as log } from '@kubewright/runtime';
import { describe, expect, it, vi } from 'vitest';
import { CleanupHold } from '../../packages/cli/src/deploy/cleanup-hold.ts';
import { type RemovalOptions, removeObjects } from '../../packages/cli/src/deploy/remove-objects.ts';
import { type Note, NoteKind, noteDefinition } from '../runtime/programs/note.ts';

// shipped.real.test.ts tests the same with a real garbage collector.

const key = { namespace: 'default', name: 'a' };
const crd = noteDefinition as unknown as UnstructuredObject; // shaped like one

/** Creates the kind, an object of that kind, and a child with a finalizer that delays its deletion. */
async function createOwner(client: KubernetesClient): Promise<void> {
  await client.request({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: noteDefinition,
  });
  const definitions = client.resource(CustomResourceDefinition);
  const isServed = async (): Promise<boolean> => {
    const { status } = await definitions.get({ name: 'notes.runtime.example.com' });
    return status?.conditions?.some(({ type, status }) => type === 'Established' && status === 'True') ?? false;
  };
  await vi.waitUntil(isServed, { timeout: 30_000 });
  const owner: Stored<Note> = await client
    .resource(NoteKind)
    .create({ apiVersion: 'runtime.example.com/v1', kind: 'Note', metadata: key, spec: { text: 'one' } });
  const child = ConfigMap({ metadata: { ...key, finalizers: ['example.com/slow'] } });
  await client.resource(ConfigMap).create(setControllerReference(child, owner));
}

function removal(
  client: KubernetesClient,
  options: { readonly clock: Clock; readonly steps: string[] },
): RemovalOptions {
  const { clock, steps } = options;
  const environment = { clock, signal: new AbortController().signal };
  const reporter = { step: (...words: readonly string[]) => void steps.push(words.join(' ')) };
  // Contains only the parts of the context and the project that removeObjects uses.
  return {
    context: { environment, reporter },
    target: { client, environment },
    project: { name: 'notes', domain: 'example.com' },
    operator: undefined,
    release: async () => false,
  } as unknown as RemovalOptions;
}

const isGone = (read: Promise<unknown>): Promise<boolean> => read.then(() => false, isNotFound);

describe('removeObjects', () => {
  it('waits until the garbage collector has deleted the children', async () => {
    await using cluster = await EmbeddedCluster.start({
      clock,
      random,
      log,
      components: ['garbage-collector-controller'],
    });
    const client = cluster.client();
    await createOwner(client);
    const removed = removeObjects(crd, removal(client, { clock, steps: [] }));
    const children = client.resource(ConfigMap);
    await vi.waitUntil(async () => isDeleting(await children.get(key)), { timeout: 30_000 });
    // The garbage collector can be faster than the command, which then still has its own finalizer on the object.
    await expect
      .poll(async () => (await client.resource(NoteKind).get(key)).metadata.finalizers, { timeout: 30_000 })
      .toEqual(['foregroundDeletion']);
    await children.patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await removed).toBe(1);
    expect(await isGone(client.resource(NoteKind).get(key))).toBe(true);
    expect(await isGone(children.get(key))).toBe(true);
  });

  it('deletes the children only after the cleanup of finalizers, and before the object is gone', async () => {
    await using cluster = await EmbeddedCluster.start({
      clock,
      random,
      log,
      components: ['garbage-collector-controller'],
    });
    const client = cluster.client();
    await createOwner(client);
    const notes = client.resource(NoteKind);
    const children = client.resource(ConfigMap);
    await notes.patch(key, { type: 'merge', body: { metadata: { finalizers: ['example.com/goodbye'] } } });
    const removed = removeObjects(crd, { ...removal(client, { clock, steps: [] }), operator: 'the test' });
    await vi.waitUntil(async () => isDeleting(await notes.get(key)), { timeout: 30_000 });
    expect((await notes.get(key)).metadata.finalizers).toEqual(['example.com/goodbye', 'kubewright.dev/uninstall']);
    expect(isDeleting(await children.get(key))).toBe(false);

    const body = [{ op: 'remove', path: '/metadata/finalizers/0' }] as const;
    await notes.patch(key, { type: 'json', body });
    await vi.waitUntil(async () => isDeleting(await children.get(key)), { timeout: 30_000 });
    expect(isDeleting(await notes.get(key))).toBe(true);
    await children.patch(key, { type: 'merge', body: { metadata: { finalizers: null } } });
    expect(await removed).toBe(1);
    expect(await isGone(notes.get(key))).toBe(true);
    expect(await isGone(children.get(key))).toBe(true);
  });

  it('removes its finalizers when it gives up', async () => {
    await using cluster = await EmbeddedCluster.start({ clock, random, log, components: ['apiserver'] });
    const client = cluster.client();
    await createOwner(client);
    const notes = client.resource(NoteKind);
    await notes.patch(key, { type: 'merge', body: { metadata: { finalizers: ['example.org/keep'] } } });
    const stop = new AbortController();
    const options = removal(client, { clock, steps: [] });
    const target = { client, environment: { ...options.target.environment, signal: stop.signal } };
    const removed = removeObjects(crd, { ...options, target }).catch((error: unknown) => error);
    await vi.waitUntil(async () => isDeleting(await notes.get(key)), { timeout: 30_000 });
    stop.abort(new Error('Ctrl-C'));
    expect(await removed).toBe(stop.signal.reason);
    expect((await notes.get(key)).metadata.finalizers).toEqual(['example.org/keep']);
  });

  it('removes its finalizers from objects that are changed concurrently', async () => {
    await using cluster = await EmbeddedCluster.start({ clock, random, log, components: ['apiserver'] });
    const client = cluster.client();
    await createOwner(client);
    const notes = client.resource(NoteKind);
    const set = (...finalizers: readonly string[]) =>
      notes.patch(key, { type: 'merge', body: { metadata: { finalizers } } });
    await set('kubewright.dev/uninstall');
    let lists = 0;
    const resource = {
      async list() {
        const found = await notes.list();
        if (lists++ === 0) await set('example.org/keep', 'kubewright.dev/uninstall');
        return found;
      },
      patch: (...call: Parameters<typeof notes.patch>) => notes.patch(...call),
    } as unknown as ResourceClient<UnstructuredObject>; // only what is used
    await new CleanupHold(resource, { clock, signal: new AbortController().signal }).release();
    expect((await notes.get(key)).metadata.finalizers).toEqual(['example.org/keep']);
  });

  it('reports the children that no garbage collector deletes within a minute', async () => {
    await using cluster = await EmbeddedCluster.start({ clock, random, log, components: ['apiserver'] });
    const client = cluster.client();
    await createOwner(client);
    const virtual = new VirtualClock();
    const steps: string[] = [];
    let removed: number | undefined;
    void removeObjects(crd, removal(client, { clock: virtual, steps })).then((count) => (removed = count));
    await vi.waitUntil(
      async () => {
        await virtual.advance(1_000);
        return removed !== undefined;
      },
      { timeout: 60_000, interval: 1 },
    );
    expect(removed).toBe(1);
    expect(steps).toEqual([
      'children remain the garbage collector has not deleted the children of default/a within 60 s bad',
    ]);
    expect(await isGone(client.resource(NoteKind).get(key))).toBe(true);
    expect(await isGone(client.resource(ConfigMap).get(key))).toBe(false);
  });
});
