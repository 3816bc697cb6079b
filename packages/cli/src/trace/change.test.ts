import type { KubernetesObject, Stored } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { hopOfChange } from './change.ts';

const time = '2026-11-23T00:00:00.500Z';

function pod(resourceVersion: string, { spec = {}, status = {}, managedFields = [{}], deleted = false }) {
  const deletionTimestamp = deleted ? '2026-11-23T00:00:00Z' : undefined;
  const metadata = { name: 'web-0', uid: 'u', resourceVersion, managedFields, deletionTimestamp };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec, status } as unknown as Stored<KubernetesObject>;
}

const creator = { manager: 'kube-controller-manager', fieldsV1: { 'f:spec': { 'f:containers': {} } } };
const kubelet = { manager: 'kubelet', subresource: 'status', fieldsV1: { 'f:status': { 'f:phase': {} } } };
const created = pod('1', { managedFields: [creator] });

describe('hopOfChange', () => {
  it('names the creator of a new object', () => {
    const hop = hopOfChange({ type: 'ADDED', object: created }, { previous: undefined, time });
    expect(hop).toEqual({
      time,
      component: 'kube-controller-manager',
      object: 'Pod web-0',
      resourceVersion: '1',
      what: 'created',
    });
  });

  it('prints the status of an object that existed before', () => {
    const hop = hopOfChange({ type: 'FOUND', object: created }, { previous: undefined, time });
    expect(hop.what).toBe('found: Pending, 0 of 0 containers ready');
  });

  it('names the client that wrote a status', () => {
    const object = pod('2', { managedFields: [creator, kubelet], status: { phase: 'Running' } });
    const hop = hopOfChange({ type: 'MODIFIED', object }, { previous: created, time });
    expect(hop).toMatchObject({ component: 'kubelet', what: 'status: Running, 0 of 0 containers ready' });
  });

  it('lists the changed fields of a status if the progress has not changed', () => {
    const previous = pod('2', { managedFields: [creator, kubelet], status: { phase: 'Pending', podIP: '10.0.0.1' } });
    const object = pod('3', { managedFields: [creator, kubelet], status: { phase: 'Pending', startTime: time } });
    const hop = hopOfChange({ type: 'MODIFIED', object }, { previous, time });
    expect(hop.what).toBe('status: Pending, 0 of 0 containers ready (changed: podIP, startTime)');
  });

  it('names the reason why containers are waiting', () => {
    const containerStatuses = [{ ready: false, state: { waiting: { reason: 'ContainerCreating' } } }];
    const object = pod('2', { managedFields: [creator, kubelet], status: { phase: 'Pending', containerStatuses } });
    const hop = hopOfChange({ type: 'MODIFIED', object }, { previous: created, time });
    expect(hop.what).toBe('status: Pending, 0 of 1 containers ready (ContainerCreating)');
  });

  it('names the writer of a second status in the same second', () => {
    const previous = pod('2', { managedFields: [creator, kubelet], status: { phase: 'Pending' } });
    const object = pod('3', { managedFields: [creator, kubelet], status: { phase: 'Running' } });
    const hop = hopOfChange({ type: 'MODIFIED', object }, { previous, time });
    expect(hop).toMatchObject({ component: 'kubelet', resourceVersion: '3' });
  });

  it('prints the chosen node, the request for deletion, and the deletion', () => {
    const bound = pod('2', { managedFields: [creator], spec: { nodeName: 'node-1' } });
    const leaving = pod('3', { managedFields: [creator], spec: { nodeName: 'node-1' }, deleted: true });
    const what = [
      hopOfChange({ type: 'MODIFIED', object: bound }, { previous: created, time }),
      hopOfChange({ type: 'MODIFIED', object: leaving }, { previous: bound, time }),
      hopOfChange({ type: 'DELETED', object: leaving }, { previous: leaving, time }),
    ].map((hop) => hop.what);
    expect(what).toEqual(['bound to node-1', 'deletion requested', 'deleted']);
  });
});
