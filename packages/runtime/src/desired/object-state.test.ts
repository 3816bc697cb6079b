import type { KubernetesObject } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { objectState } from './object-state.ts';

const object = (
  kind: string,
  more: { readonly spec?: object; readonly status?: object; readonly metadata?: object },
) => {
  const [name = '', apiVersion = 'v1'] = kind.split(' ');
  return {
    apiVersion,
    kind: name,
    ...more,
    metadata: { name: 'x', generation: 2, ...more.metadata },
  } as KubernetesObject;
};
const said = (type: string, status: string, reason = 'R') => ({ type, status, reason, message: `${type} says so` });
const full = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2, readyReplicas: 2 };

describe('objectState', () => {
  it.each([
    ['Current', object('ConfigMap', {})],
    ['Terminating', object('ConfigMap', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } })],
    ['Current', object('Thing a.b/v1', {})],
    ['InProgress', object('Thing a.b/v1', { status: { observedGeneration: 1 } })],
    ['InProgress', object('Thing a.b/v1', { status: { conditions: [said('Ready', 'False')] } })],
    ['Current', object('Thing a.b/v1', { status: { conditions: [said('Ready', 'True')] } })],
    ['InProgress', object('Thing a.b/v1', { status: { conditions: [said('Reconciling', 'True')] } })],
    ['Failed', object('Thing a.b/v1', { status: { conditions: [said('Stalled', 'True')] } })],
    ['InProgress', object('Pod', { status: { phase: 'Pending' } })],
    ['InProgress', object('Pod', { status: { phase: 'Running', conditions: [said('Ready', 'False')] } })],
    ['Current', object('Pod', { status: { phase: 'Running', conditions: [said('Ready', 'True')] } })],
    ['Current', object('Pod', { status: { phase: 'Succeeded' } })],
    ['Failed', object('Pod', { status: { phase: 'Failed' } })],
    [
      'Failed',
      object('Pod', {
        status: {
          phase: 'Running',
          containerStatuses: [{ name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } }],
        },
      }),
    ],
    ['InProgress', object('Deployment apps/v1', { spec: { replicas: 2 } })],
    ['Current', object('Deployment apps/v1', { spec: { replicas: 2 }, status: full })],
    ['InProgress', object('Deployment apps/v1', { spec: { replicas: 3 }, status: full })],
    ['InProgress', object('Deployment apps/v1', { spec: { replicas: 2 }, status: { ...full, replicas: 3 } })],
    [
      'Failed',
      object('Deployment apps/v1', {
        status: { ...full, conditions: [said('Progressing', 'False', 'ProgressDeadlineExceeded')] },
      }),
    ],
    ['Current', object('ReplicaSet apps/v1', { spec: { replicas: 2 }, status: full })],
    ['Current', object('StatefulSet apps/v1', { spec: { replicas: 2 }, status: full })],
    [
      'InProgress',
      object('StatefulSet apps/v1', {
        spec: { replicas: 2 },
        status: { ...full, currentRevision: 'a', updateRevision: 'b' },
      }),
    ],
    ['InProgress', object('StatefulSet apps/v1', { spec: { replicas: 2 }, status: { ...full, updatedReplicas: 1 } })],
    [
      'InProgress',
      object('DaemonSet apps/v1', {
        status: { observedGeneration: 2, desiredNumberScheduled: 1, currentNumberScheduled: 1 },
      }),
    ],
    ['InProgress', object('Job batch/v1', { status: { active: 1 } })],
    ['Current', object('Job batch/v1', { status: { conditions: [said('Complete', 'True')] } })],
    ['Failed', object('Job batch/v1', { status: { conditions: [said('Failed', 'True')] } })],
    ['InProgress', object('PersistentVolumeClaim', { status: { phase: 'Pending' } })],
    ['Current', object('PersistentVolumeClaim', { status: { phase: 'Bound' } })],
    ['Current', object('Service', { spec: { type: 'ClusterIP' } })],
    ['InProgress', object('Service', { spec: { type: 'LoadBalancer' } })],
    [
      'Current',
      object('Service', { spec: { type: 'LoadBalancer' }, status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } } }),
    ],
    ['InProgress', object('CustomResourceDefinition apiextensions.k8s.io/v1', {})],
    [
      'Current',
      object('CustomResourceDefinition apiextensions.k8s.io/v1', {
        status: { conditions: [said('Established', 'True')] },
      }),
    ],
  ])('is %s for %o', (state, given) => {
    const readiness = objectState(given);
    expect(readiness.state).toBe(state);
    expect(readiness.message === '').toBe(state === 'Current');
  });

  it.each([
    [
      'is Pending: waiting for a volume of storage class fast',
      object('PersistentVolumeClaim', { spec: { storageClassName: 'fast' }, status: { phase: 'Pending' } }),
    ],
    [
      'is Pending: waiting for the volume disk-1',
      object('PersistentVolumeClaim', { spec: { storageClassName: 'fast', volumeName: 'disk-1' } }),
    ],
    [
      'is Pending: waiting for a volume; the claim has no storage class to provision one',
      object('PersistentVolumeClaim', { spec: { storageClassName: '' } }),
    ],
    ['is Lost: its volume no longer exists', object('PersistentVolumeClaim', { status: { phase: 'Lost' } })],
    [
      'is Pending: PodScheduled says so',
      object('Pod', { status: { phase: 'Pending', conditions: [said('PodScheduled', 'False')] } }),
    ],
    [
      'is Pending: container c is waiting: Back-off pulling image "x"',
      object('Pod', {
        status: {
          phase: 'Pending',
          containerStatuses: [
            { name: 'c', state: { waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "x"' } } },
          ],
        },
      }),
    ],
    [
      'is Pending',
      object('Pod', {
        status: {
          phase: 'Pending',
          containerStatuses: [{ name: 'c', state: { waiting: { reason: 'ContainerCreating' } } }],
        },
      }),
    ],
    ['is Failed: Evicted', object('Pod', { status: { phase: 'Failed', reason: 'Evicted' } })],
    [
      'is Running: Ready says so',
      object('Pod', { status: { phase: 'Running', conditions: [said('Ready', 'False')] } }),
    ],
    ['is not ready: its controller has not observed it yet', object('Deployment apps/v1', {})],
    ['is not ready: replicas is 2 of 3', object('Deployment apps/v1', { spec: { replicas: 3 }, status: full })],
    [
      'is not ready: ReplicaFailure says so',
      object('Deployment apps/v1', {
        spec: { replicas: 3 },
        status: { ...full, conditions: [said('ReplicaFailure', 'True')] },
      }),
    ],
    ['has failed: Failed says so', object('Job batch/v1', { status: { conditions: [said('Failed', 'True')] } })],
    ['is not ready: Ready says so', object('Thing a.b/v1', { status: { conditions: [said('Ready', 'False')] } })],
  ])('reports that the object %s', (message, given) => {
    expect(objectState(given).message).toBe(message);
  });
});
