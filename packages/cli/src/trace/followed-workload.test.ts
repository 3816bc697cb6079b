import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Event } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import type { Change } from './change.ts';
import { FollowedWorkload } from './followed-workload.ts';
import type { Hop } from './hops.ts';

const time = '2026-11-23T00:00:00.500Z';

function change(type: Change['type'], name: string, { version = '1', owner = '' } = {}): Change {
  const ownerReferences = owner === '' ? [] : [{ controller: true, uid: owner }];
  const metadata = { name, uid: `uid of ${name}`, resourceVersion: version, ownerReferences };
  const kind = owner === '' ? 'ReplicaSet' : 'Pod';
  return { type, object: { apiVersion: 'v1', kind, metadata } as unknown as Stored<KubernetesObject> };
}

function event(type: Change['type'], name: string): Change<Stored<Event>> {
  const involvedObject = { uid: `uid of ${name}`, resourceVersion: '1' };
  return { type, object: { metadata: {}, involvedObject, reason: 'Started' } as unknown as Stored<Event> };
}

const web = () => new FollowedWorkload({ kind: 'ReplicaSet', name: 'web' });
const shown = (hops: readonly Hop[]) => hops.map(({ object, what }) => `${object} ${what}`);
const owner = 'uid of web';

describe('FollowedWorkload', () => {
  it('holds back a pod and its events until its owner is known', () => {
    const workload = web();
    expect(workload.onEvent(event('ADDED', 'web-0'), time)).toEqual([]);
    expect(workload.onObject(change('ADDED', 'web-0', { owner }), time)).toEqual([]);
    expect(shown(workload.onObject(change('ADDED', 'web'), time))).toEqual([
      'ReplicaSet web created',
      'Pod web-0 created',
      'Pod web-0 Started: ',
    ]);
  });

  it('ignores objects and events of other workloads', () => {
    const workload = web();
    workload.onObject(change('ADDED', 'web'), time);
    workload.onObject(change('ADDED', 'shop'), time);
    expect(workload.onObject(change('ADDED', 'shop-0', { owner: 'uid of shop' }), time)).toEqual([]);
    expect(workload.onEvent(event('ADDED', 'shop'), time)).toEqual([]);
  });

  it('ignores events from before it started', () => {
    const workload = web();
    workload.onObject(change('FOUND', 'web'), time);
    expect(workload.onEvent(event('FOUND', 'web'), time)).toEqual([]);
  });

  it('ignores versions that a list repeats', () => {
    const workload = web();
    workload.onObject(change('ADDED', 'web', { version: '9' }), time);
    expect(workload.onObject(change('FOUND', 'web', { version: '9' }), time)).toEqual([]);
    expect(workload.onObject(change('MODIFIED', 'web', { version: '10' }), time)).toHaveLength(1);
  });
});
