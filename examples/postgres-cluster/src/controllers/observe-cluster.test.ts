import type { Stored } from '@kubewright/apimachinery';
import { PersistentVolumeClaim, Pod, type PodCondition, type PodStatus } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { archiveOwnerAnnotation } from '../spec/archive-owner.ts';
import { observeCluster } from './observe-cluster.ts';

const shop = PostgresCluster({
  metadata: { name: 'shop', namespace: 'default', uid: 'a' },
  spec: { storage: {} },
}) as Stored<PostgresCluster>;

const created = '2026-01-01T00:00:00Z';
const changed = '2026-01-01T00:05:00Z';
const running = { state: { running: { startedAt: created } } };
const waiting = { state: { waiting: { reason: 'CrashLoopBackOff' } } };
const terminated = { state: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:07:00Z' } } };
const notReady: PodCondition = { type: 'Ready', status: 'False', lastTransitionTime: changed };

const none = {
  pods: [],
  claims: [],
  lease: undefined,
  leaseExpiresInMs: undefined,
  nodes: new Map(),
  reports: new Map(),
};
const objects = { ...none, image: 'postgres-instance', nowMs: Date.parse('2026-01-01T01:00:00Z') };

/** Returns the time since which the pod of shop-1 has not run, without its date and seconds. */
function notRunningSince(status: PodStatus | undefined): string | undefined {
  const metadata = { name: 'shop-1', namespace: 'default', creationTimestamp: created };
  const pod = Pod({ metadata, ...(status && { status }) }) as Stored<Pod>;
  const { members } = observeCluster(shop, { ...objects, pods: [pod] });
  const sinceMs = members[0]?.pod?.notRunningSinceMs;
  return sinceMs === undefined ? undefined : new Date(sinceMs).toISOString().slice(11, 16);
}

const container = (state: object) => ({
  name: 'postgresql',
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...state,
});

describe('notRunningSinceMs', () => {
  it.each<[string, PodStatus | undefined, string | undefined]>([
    ['undefined while the container runs', { containerStatuses: [container(running)] }, undefined],
    [
      'undefined while the container runs but is not ready: its server may receive WAL',
      { containerStatuses: [container(running)], conditions: [notReady] },
      undefined,
    ],
    [
      'undefined if the pod is ready, although no container status has been reported',
      { conditions: [{ ...notReady, status: 'True' }] },
      undefined,
    ],
    [
      'the time at which the pod became unready, if its container waits for a restart',
      { containerStatuses: [container(waiting)], conditions: [notReady] },
      '00:05',
    ],
    [
      'the time at which the pod became unready, if its container has ended',
      { containerStatuses: [container(terminated)], conditions: [notReady] },
      '00:05',
    ],
    ['the time of creation if no container has ever run', { containerStatuses: [container(waiting)] }, '00:00'],
    ['the time of creation before the kubelet has reported anything', undefined, '00:00'],
    [
      'the time of creation if the condition has no time',
      { conditions: [{ type: 'Ready', status: 'False' }] },
      '00:00',
    ],
  ])('is %s', (_, status, expected) => {
    expect(notRunningSince(status)).toBe(expected);
  });

  it('is undefined while one of several containers runs', () => {
    const containerStatuses = [container(waiting), container(running)];
    expect(notRunningSince({ containerStatuses, conditions: [notReady] })).toBeUndefined();
  });
});

describe('archiveOwner', () => {
  const claim = (name: string, owner?: string) =>
    PersistentVolumeClaim({
      metadata: {
        name,
        namespace: 'default',
        ...(owner !== undefined && { annotations: { [archiveOwnerAnnotation]: owner } }),
      },
    }) as Stored<PersistentVolumeClaim>;

  it.each<[string, PostgresCluster['status'], readonly Stored<PersistentVolumeClaim>[], string]>([
    ['the UID of a new cluster', undefined, [], 'a'],
    ['the UID of a cluster whose volumes are clones, which have no annotation', undefined, [claim('shop-1')], 'a'],
    ['the ID of retained volumes', undefined, [claim('shop-1'), claim('shop-2', 'earlier')], 'earlier'],
    ['the ID in the status', { archiveOwner: 'b' }, [claim('shop-1', 'earlier')], 'b'],
  ])('is %s', (_, status, claims, owner) => {
    const found = { ...shop, ...(status && { status }) };
    expect(observeCluster(found, { ...objects, claims }).archiveOwner).toBe(owner);
  });
});
