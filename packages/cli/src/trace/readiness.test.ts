import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { isReady } from './readiness.ts';

const workload = (kind: string, status: object, spec: object = {}) =>
  isReady({ apiVersion: 'v1', kind, metadata: { name: 'web', generation: 2 }, spec, status } as KubernetesObject);
const observedGeneration = 2;

describe('isReady', () => {
  it.each(['Deployment', 'StatefulSet'])('waits until all replicas of a %s are updated and available', (kind) => {
    const status = { observedGeneration, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };
    expect(workload(kind, status, { replicas: 2 })).toBe(true);
    expect(workload(kind, { ...status, availableReplicas: 1 }, { replicas: 2 })).toBe(false);
    expect(workload(kind, { ...status, updatedReplicas: 1 }, { replicas: 2 })).toBe(false);
    expect(workload(kind, { ...status, replicas: 3 }, { replicas: 2 })).toBe(false);
  });

  it('ignores a status of an older generation', () => {
    const status = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    for (const kind of ['Deployment', 'StatefulSet', 'ReplicaSet', 'DaemonSet']) {
      expect(workload(kind, status), kind).toBe(false);
    }
  });

  it('accepts a workload without replicas only if none are wanted', () => {
    for (const kind of ['Deployment', 'StatefulSet', 'ReplicaSet']) {
      expect(workload(kind, { observedGeneration }, { replicas: 0 }), kind).toBe(true);
      expect(workload(kind, { observedGeneration }), kind).toBe(false);
    }
  });

  it('waits until all replicas of a ReplicaSet are available', () => {
    expect(workload('ReplicaSet', { observedGeneration, replicas: 1, availableReplicas: 0 })).toBe(false);
    expect(workload('ReplicaSet', { observedGeneration, replicas: 1, availableReplicas: 1 })).toBe(true);
  });

  it('waits until the pods of a DaemonSet are updated and available on all nodes', () => {
    const status = { observedGeneration, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 };
    expect(workload('DaemonSet', status)).toBe(true);
    expect(workload('DaemonSet', { ...status, updatedNumberScheduled: 2 })).toBe(false);
    expect(workload('DaemonSet', { ...status, numberAvailable: 2 })).toBe(false);
  });

  it.each([
    ['Job', 'Complete', true],
    ['Job', 'Failed', true],
    ['Job', 'Suspended', false],
    ['Pod', 'Ready', true],
    ['Pod', 'PodScheduled', false],
    ['CronJob', 'Ready', false],
  ])('of a %s with the condition %s returns %s', (kind, type, expected) => {
    expect(workload(kind, { conditions: [{ type, status: 'True' }] })).toBe(expected);
    expect(workload(kind, { conditions: [{ type, status: 'False' }] })).toBe(false);
  });
});
