import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import type { Event } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { hopsOf } from './hops.ts';

const created = '2026-11-23T00:00:00Z';
const creator = {
  manager: 'kubectl-create',
  time: created,
  fieldsV1: { 'f:spec': { 'f:template': {}, 'f:replicas': {} } },
};
const involvedObject = { uid: 'u', resourceVersion: '5' };

/** Returns the version at which the trace says that an object was created. */
function versionOf(entries: readonly object[], eventTime: string | undefined) {
  const metadata = { name: 'web', uid: 'u', resourceVersion: '9', creationTimestamp: created, managedFields: entries };
  const object = { apiVersion: 'v1', kind: 'Pod', metadata } as unknown as Stored<KubernetesObject>;
  const event = { metadata: {}, reason: 'Scheduled', eventTime, involvedObject } as unknown as Stored<Event>;
  const hops = hopsOf([{ object, depth: 0 }], eventTime === undefined ? [] : [event]);
  return hops.find(({ what }) => what === 'created')?.resourceVersion;
}

describe('hopsOf', () => {
  it('takes the version of the creation from the first event', () => {
    const status = { manager: 'kubelet', subresource: 'status', time: '2026-11-23T00:00:02Z' };
    expect(versionOf([creator, status], '2026-11-23T00:00:02.500000Z')).toBe('5');
  });

  it('leaves the version of the creation empty if the object was changed before the first event', () => {
    const scaler = {
      manager: 'kubectl-scale',
      time: '2026-11-23T01:00:00Z',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    };
    expect(versionOf([creator, scaler], '2026-11-23T01:00:00.500000Z')).toBe('');
    expect(versionOf([creator, scaler], undefined)).toBe('');
    const status = { manager: 'kubelet', subresource: 'status', time: '2026-11-23T00:00:02Z' };
    expect(versionOf([creator, status], '2026-11-23T01:00:00.500000Z')).toBe('');
  });

  it('takes the time of a binding from the condition of the pod', () => {
    const metadata = {
      name: 'web',
      uid: 'u',
      resourceVersion: '9',
      creationTimestamp: created,
      managedFields: [creator],
    };
    const condition = { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-11-23T00:00:02Z' };
    const spec = { nodeName: 'node-1', schedulerName: 'my-scheduler' };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: { conditions: [condition] } };
    const hops = hopsOf([{ object: pod as unknown as Stored<KubernetesObject>, depth: 0 }], []);
    expect(hops.find(({ what }) => what === 'bound to node-1')).toMatchObject({
      time: '2026-11-23T00:00:02Z',
      component: 'my-scheduler',
    });
  });

  it('takes the current version if the object was never changed', () => {
    expect(versionOf([creator], undefined)).toBe('9');
  });

  it('lists causes before effects within a second: the change, its events, the children, their statuses', () => {
    const second = '2026-11-23T01:00:00Z';
    const entry = (manager: string, fields: string, more: object = {}) => ({
      manager,
      time: second,
      fieldsV1: { [`f:${fields.split('.')[0]}`]: { [`f:${fields.split('.')[1]}`]: {} } },
      ...more,
    });
    const status = { subresource: 'status' };
    const traced = (kind: string, depth: number, metadata: object) => ({
      depth,
      object: {
        apiVersion: 'apps/v1',
        kind,
        metadata: { name: kind.toLowerCase(), uid: kind, resourceVersion: '9', creationTimestamp: second, ...metadata },
      } as unknown as Stored<KubernetesObject>,
    });
    const event = (kind: string, reason: string) =>
      ({ metadata: {}, reason, eventTime: second, involvedObject: { uid: kind } }) as unknown as Stored<Event>;
    const changed = [
      traced('Deployment', 0, {
        creationTimestamp: created,
        managedFields: [
          creator,
          entry('kube-controller-manager', 'status.replicas', status),
          entry('kube-controller-manager', 'metadata.annotations'),
          entry('kubectl-set', 'spec.template'),
        ],
      }),
      traced('ReplicaSet', 1, { managedFields: [entry('kube-controller-manager', 'spec.replicas')] }),
      traced('Pod', 2, {
        managedFields: [entry('kube-controller-manager', 'spec.containers'), entry('kubelet', 'status.phase', status)],
      }),
    ];
    const events = [event('ReplicaSet', 'SuccessfulCreate'), event('Deployment', 'ScalingReplicaSet')];
    const hops = hopsOf(changed, events).filter(({ time }) => time === second);
    expect(hops.map(({ object, what }) => `${object}: ${what.split(':')[0]}`)).toEqual([
      'Deployment deployment: updated spec.template',
      'Deployment deployment: ScalingReplicaSet',
      'Deployment deployment: updated metadata.annotations',
      'ReplicaSet replicaset: created',
      'ReplicaSet replicaset: SuccessfulCreate',
      'Pod pod: created',
      'Pod pod: status',
      'Deployment deployment: status',
    ]);
  });
});
