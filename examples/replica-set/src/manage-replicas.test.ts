import { type ObjectKey, type Stored, VirtualClock } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import type { ResourceClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { PodSet } from './api/v1/pod-set.ts';
import { Expectations } from './expectations.ts';
import { burstReplicas, manageReplicas } from './manage-replicas.ts';
import { slowStart } from './slow-start.ts';

const key = 'default/web';

function world(replicas: number, pods: readonly Stored<Pod>[] = []) {
  const clock = new VirtualClock();
  const set = stored(PodSet({ metadata: { name: 'web', namespace: 'default' }, spec: { replicas, image: 'busybox' } }));
  const expectations = new Expectations(clock);
  const created: Pod[] = [];
  const deleted: string[] = [];
  let quota = Number.POSITIVE_INFINITY;
  // manageReplicas calls nothing else.
  const control: Pick<ResourceClient<Pod>, 'create' | 'delete'> = {
    create: async (pod: Pod) => {
      if (created.length >= quota) throw new Error('exceeded quota');
      created.push(pod);
      return stored(pod);
    },
    delete: async ({ name }: ObjectKey) => {
      deleted.push(name);
      return undefined as never;
    },
  };
  const manage = () => manageReplicas(set, { pods, expectations, control: control as ResourceClient<Pod> });
  return { clock, expectations, created, deleted, manage, limit: (to: number) => (quota = to) };
}

function pod(name: string, { nodeName, phase = 'Pending', ready = false, age = 0 }: Partial<PodState> = {}) {
  const containers = [{ name: 'main', image: 'busybox' }];
  const metadata = { name, uid: name, creationTimestamp: new Date(-age).toISOString() };
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }] as const;
  const made = Pod({ metadata, spec: { containers, ...(nodeName && { nodeName }) } });
  return stored({ ...made, status: { phase, conditions } }) as Stored<Pod>;
}

interface PodState {
  readonly nodeName: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly age: number;
}

describe('manageReplicas', () => {
  it('creates missing pods, owned by the set, and expects their events', async () => {
    const { created, expectations, manage } = world(3);
    await manage();
    expect(created).toHaveLength(3);
    expect(created[0]?.metadata).toMatchObject({
      name: expect.stringMatching(/^web-/),
      ownerReferences: [{ kind: 'PodSet', name: 'web' }],
    });
    for (const { metadata } of created) {
      expect(expectations.satisfied(key)).toBe(false);
      expectations.observed(key, metadata.name);
    }
    expect(expectations.satisfied(key)).toBe(true);
  });

  it('creates at most burstReplicas pods in one pass', async () => {
    const { created, manage } = world(burstReplicas + 100);
    await manage();
    expect(created).toHaveLength(burstReplicas);
  });

  it('expects no events of pods that a quota rejected', async () => {
    const { created, expectations, manage, limit } = world(100);
    limit(5);
    await expect(manage()).rejects.toThrow('exceeded quota');
    expect(created).toHaveLength(5);
    expect(expectations.satisfied(key)).toBe(false);
    for (const { metadata } of created) expectations.observed(key, metadata.name);
    expect(expectations.satisfied(key)).toBe(true);
  });

  it('deletes the least advanced pods first', async () => {
    const node = { nodeName: 'one', phase: 'Running' };
    const pods = [
      pod('old', { ...node, ready: true, age: 9 }),
      pod('young', { ...node, ready: true, age: 1 }),
      pod('not-ready', node),
      pod('starting', { nodeName: 'one' }),
      pod('unscheduled'),
    ];
    const { deleted, expectations, manage } = world(1, pods);
    await manage();
    expect(deleted).toEqual(['unscheduled', 'starting', 'not-ready', 'young']);
    for (const name of deleted) {
      expect(expectations.satisfied(key)).toBe(false);
      // A deletion is seen twice: when it begins and when it ends.
      expectations.observed(key, name);
      expectations.observed(key, name);
    }
    expect(expectations.satisfied(key)).toBe(true);
  });

  it('does nothing if the number is right', async () => {
    const { created, deleted, expectations, manage } = world(1, [pod('one')]);
    await manage();
    expect([created, deleted, expectations.satisfied(key)]).toEqual([[], [], true]);
  });
});

describe('Expectations', () => {
  it('gives up after five minutes', async () => {
    const { clock, expectations, manage } = world(1);
    await manage();
    await clock.advance(300_000);
    expect(expectations.satisfied(key)).toBe(false);
    await clock.advance(1);
    expect(expectations.satisfied(key)).toBe(true);
  });
});

describe('slowStart', () => {
  it('doubles the batches until one fails', async () => {
    const items = Array.from({ length: 500 }, (_, index) => index);
    const called: number[] = [];
    let running = 0;
    const batches: number[] = [];
    const { left, error } = await slowStart(items, async (item) => {
      called.push(item);
      if (running === 0) batches.push(0);
      batches[batches.length - 1] = ++running;
      await undefined;
      running--;
      if (item === 9) throw new Error(`call ${item}`);
    });
    expect(batches).toEqual([1, 2, 4, 8]);
    expect(called).toHaveLength(15);
    expect([left, (error as Error).message]).toEqual([[9, ...items.slice(15)], 'call 9']);
  });
});
