import { isNotFound } from '@kubewright/apimachinery';
import { Node, Pod, type PodSpec } from '@kubewright/apimachinery/core/v1';
import { Event } from '@kubewright/apimachinery/events/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TestControlPlane } from '../controllers/testdata/test-control-plane.ts';

describe('scheduler', () => {
  let plane: TestControlPlane;
  const namespace = 'default';
  const within = { timeout: 5_000, interval: 10 };

  beforeAll(async () => {
    plane = await TestControlPlane.start();
    const accounts = { path: '/api/v1/namespaces/default/serviceaccounts/default' };
    await vi.waitFor(() => plane.client.request(accounts), within);
  });
  afterAll(async () => {
    await plane[Symbol.asyncDispose]();
    expect(plane.errors).toEqual([]);
  });

  async function createNode(name: string, cpu: string): Promise<void> {
    const nodes = plane.client.resource(Node);
    await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    const amounts = { cpu, memory: '8Gi', pods: '110' };
    const status = { capacity: amounts, allocatable: amounts };
    await nodes.status.patch({ name }, { type: 'merge', body: { status } });
  }
  async function createPod(name: string, spec: Partial<PodSpec> = {}): Promise<void> {
    const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }];
    const pod: Pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace }, spec: { containers, ...spec } };
    await plane.client.resource(Pod).create(pod);
  }
  const read = (name: string): Promise<Pod> => plane.client.resource(Pod).get({ namespace, name });
  const nodeOf = async (name: string): Promise<string | undefined> => (await read(name)).spec?.nodeName;
  const reasonOf = async (name: string): Promise<string | undefined> =>
    (await read(name)).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.reason;

  it('reports why a pod is unschedulable and binds it when a suitable node appears', async () => {
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

  it('does not overcommit a node for simultaneous pods, and uses freed room', async () => {
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

  it('skips gated pods and pods of other schedulers', async () => {
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

  it('forgets a pod that was deleted before it was bound', async () => {
    await createPod('impossible', { nodeSelector: { no: 'where' } });
    await expect.poll(() => reasonOf('impossible'), within).toBe('Unschedulable');
    await plane.client.resource(Pod).delete({ namespace, name: 'impossible' }, { gracePeriodSeconds: 0 });
    await expect(read('impossible')).rejects.toSatisfy(isNotFound);
  });
});
