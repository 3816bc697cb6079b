import { isNotFound } from '@kubewright/apimachinery';
import { Node, PersistentVolume, PersistentVolumeClaim, Pod, type PodSpec } from '@kubewright/apimachinery/core/v1';
import { Event } from '@kubewright/apimachinery/events/v1';
import { PriorityClass } from '@kubewright/apimachinery/scheduling/v1';
import { StorageClass } from '@kubewright/apimachinery/storage/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestControlPlane } from '../controllers/testdata/test-control-plane.ts';

describe('scheduler', () => {
  let plane: TestControlPlane;
  const namespace = 'default';
  const within = { timeout: 30_000, interval: 10 };

  beforeAll(async () => {
    plane = await TestControlPlane.start();
    const accounts = { path: '/api/v1/namespaces/default/serviceaccounts/default' };
    await vi.waitFor(() => plane.client.request(accounts), within);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
    // The scheduler's bootstrap role permits every request that the scheduler sends.
    expect(plane.rejections).toEqual([]);
  });

  async function createNode(name: string, cpu: string, labels: Readonly<Record<string, string>> = {}): Promise<void> {
    const nodes = plane.client.resource(Node);
    await nodes.create(Node({ metadata: { name, labels: { 'kubernetes.io/hostname': name, ...labels } } }));
    const amounts = { cpu, memory: '8Gi', pods: '110' };
    const status = { capacity: amounts, allocatable: amounts };
    await nodes.status.patch({ name }, { type: 'merge', body: { status } });
  }
  async function createPod(name: string, spec: Partial<PodSpec> = {}): Promise<void> {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }];
    const pod = Pod({ metadata: { name, namespace }, spec: { containers, ...spec } });
    await plane.client.resource(Pod).create(pod);
  }
  const read = (name: string): Promise<Pod> => plane.client.resource(Pod).get({ namespace, name });
  const nodeOf = async (name: string): Promise<string | undefined> => (await read(name)).spec?.nodeName;
  const reasonOf = async (name: string): Promise<string | undefined> =>
    (await read(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.reason;

  it('reports why a pod is unschedulable, and binds the pod when a suitable node is added', async () => {
    await createPod('early');
    await expect.poll(() => reasonOf('early'), within).toBe('Unschedulable');
    await createNode('small', '2');
    await expect.poll(() => nodeOf('early'), within).toBe('small');
    const conditions = (await read('early')).status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === 'PodScheduled')?.status).toBe('True');
    const reasons = async () =>
      (await plane.client.resource(Event).list({ namespace })).items.map(({ reason }) => reason);
    await expect.poll(reasons, within).toEqual(expect.arrayContaining(['FailedScheduling', 'Scheduled']));
  });

  it('does not overcommit a node when pods arrive together, and reuses freed resources', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => createPod(name)));
    const bound = async () =>
      (await plane.client.resource(Pod).list({ namespace })).items.filter(({ spec }) => spec?.nodeName).length;
    await expect.poll(bound, within).toBe(2);
    const waiting = async () =>
      (await Promise.all(['a', 'b', 'c'].map(reasonOf))).filter((each) => each === 'Unschedulable');
    await expect.poll(waiting, within).toHaveLength(2);
    await plane.client.resource(Pod).delete({ namespace, name: 'early' }, { gracePeriodSeconds: 0 });
    const nodes = async () => (await Promise.all(['a', 'b', 'c'].map(nodeOf))).filter((each) => each === 'small');
    await expect.poll(nodes, within).toHaveLength(2);
  });

  it('skips gated pods, and pods of other schedulers', async () => {
    await createNode('large', '64');
    await createPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
    await createPod('foreign', { schedulerName: 'other' });
    await createPod('plain');
    await expect.poll(() => nodeOf('plain'), within).toBe('large');
    expect(await nodeOf('foreign')).toBeUndefined();
    expect(await reasonOf('gated')).toBe('SchedulingGated');
    const key = { namespace, name: 'gated' };
    await plane.client.resource(Pod).patch(key, { type: 'merge', body: { spec: { schedulingGates: null } } });
    await expect.poll(() => nodeOf('gated'), within).toBe('large');
  });

  it('lets a pod be deleted before it is bound', async () => {
    await createPod('impossible', { nodeSelector: { no: 'where' } });
    await expect.poll(() => reasonOf('impossible'), within).toBe('Unschedulable');
    await plane.client.resource(Pod).delete({ namespace, name: 'impossible' }, { gracePeriodSeconds: 0 });
    await expect(read('impossible')).rejects.toSatisfy(isNotFound);
  });

  it('explains why a pod fits on no node in its condition and in an event', async () => {
    await createPod('nowhere', { nodeSelector: { no: 'where' } });
    await expect.poll(() => reasonOf('nowhere'), within).toBe('Unschedulable');
    const message =
      "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector. no new claims to deallocate, preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
    const conditions = (await read('nowhere')).status?.conditions;
    expect(conditions).toMatchObject([
      { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, observedGeneration: 1 },
    ]);
    const notes = async () =>
      (await plane.client.resource(Event).list({ namespace, fieldSelector: 'regarding.name=nowhere' })).items.map(
        ({ type, reason, action, note, reportingController }) => ({ type, reason, action, note, reportingController }),
      );
    const reporter = { type: 'Warning', action: 'Scheduling', reportingController: 'default-scheduler' };
    await expect.poll(notes, within).toEqual([{ reason: 'FailedScheduling', note: message, ...reporter }]);
  });

  it('evicts a pod for one of higher priority, which is bound once the victim is deleted', async () => {
    const only = { nodeSelector: { pool: 'preempt' } };
    await createNode('contested', '1', { pool: 'preempt' });
    await plane.client.resource(PriorityClass).create(PriorityClass({ metadata: { name: 'high' }, value: 1_000 }));
    await createPod('victim', only);
    await expect.poll(() => nodeOf('victim'), within).toBe('contested');
    await createPod('urgent', { ...only, priorityClassName: 'high' });
    await expect.poll(async () => (await read('victim')).metadata.deletionTimestamp, within).toBeDefined();
    expect((await read('victim')).status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'PreemptionByScheduler',
        message: 'default-scheduler: preempting to accommodate a higher priority pod',
      }),
    );
    await expect.poll(async () => (await read('urgent')).status?.nominatedNodeName, within).toBe('contested');
    const { uid } = (await read('urgent')).metadata;
    const preempted = async () =>
      (await plane.client.resource(Event).list({ namespace, fieldSelector: 'reason=Preempted' })).items[0]?.note;
    await expect.poll(preempted, within).toBe(`Preempted by pod ${uid} on node contested`);
    expect(await nodeOf('urgent')).toBeUndefined();
    await plane.client.resource(Pod).delete({ namespace, name: 'victim' }, { gracePeriodSeconds: 0 });
    await expect.poll(() => nodeOf('urgent'), within).toBe('contested');
  });

  it('preempts a pod that waits for its volumes without deleting it', async () => {
    const only = { nodeSelector: { pool: 'awaited' } };
    await createNode('awaited', '1', { pool: 'awaited' });
    const storageClassName = 'absent';
    await plane.client.resource(StorageClass).create(
      StorageClass({
        metadata: { name: storageClassName },
        provisioner: 'example.com/absent',
        volumeBindingMode: 'WaitForFirstConsumer',
      }),
    );
    const resources = { requests: { storage: '1Gi' } };
    await plane.client.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name: 'never', namespace },
        spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources },
      }),
    );
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'never' } }];
    await createPod('patient', { ...only, volumes });
    await expect.poll(async () => (await read('patient')).status?.nominatedNodeName, within).toBe('awaited');
    await createPod('first', { ...only, priorityClassName: 'high' });
    await expect.poll(() => nodeOf('first'), within).toBe('awaited');
    expect((await read('patient')).metadata.deletionTimestamp).toBeUndefined();
    const { uid } = (await read('first')).metadata;
    const notes = async () =>
      (await plane.client.resource(Event).list({ namespace, fieldSelector: 'regarding.name=patient' })).items.map(
        ({ note }) => note,
      );
    await expect.poll(notes, within).toContain(`Preempted by pod ${uid} on node awaited (in kube-scheduler memory).`);
  });

  it('binds a claim that waits for a pod to a volume that the chosen node can use', async () => {
    for (const name of ['near', 'far']) await createNode(name, '4', { pool: 'volumes' });
    const storageClassName = 'local';
    await plane.client.resource(StorageClass).create(
      StorageClass({
        metadata: { name: storageClassName },
        provisioner: 'kubernetes.io/no-provisioner',
        volumeBindingMode: 'WaitForFirstConsumer',
      }),
    );
    const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In' as const, values: ['far'] }];
    const size = { storage: '1Gi' };
    await plane.client.resource(PersistentVolume).create(
      PersistentVolume({
        metadata: { name: 'disk' },
        spec: {
          storageClassName,
          capacity: size,
          accessModes: ['ReadWriteOnce'],
          local: { path: '/disk' },
          nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } },
        },
      }),
    );
    await plane.client.resource(PersistentVolumeClaim).create(
      PersistentVolumeClaim({
        metadata: { name: 'data', namespace },
        spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: size } },
      }),
    );
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    await createPod('writer', { nodeSelector: { pool: 'volumes' }, volumes });
    await expect.poll(() => nodeOf('writer'), { ...within, timeout: 30_000 }).toBe('far');
    // As in upstream, the scheduler waits for the claim's volume name and annotation, but not for its phase, which is
    // written later.
    const bound = async () => {
      const { spec, status } = await plane.client.resource(PersistentVolumeClaim).get({ namespace, name: 'data' });
      return [status?.phase, spec?.volumeName];
    };
    await expect.poll(bound, within).toEqual(['Bound', 'disk']);
  });
});
