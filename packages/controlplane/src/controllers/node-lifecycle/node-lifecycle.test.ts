import { isNotFound } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node, Pod } from '@kubewright/apimachinery/core/v1';
import { formatTime } from '@kubewright/apimachinery/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { taintEvictionController } from '../taint-eviction/taint-eviction.ts';
import { ControllersUnderTest } from '../testdata/controllers-under-test.ts';
import { nodeLifecycleController } from './node-lifecycle.ts';

let cluster: ControllersUnderTest;

beforeAll(async () => {
  cluster = await ControllersUnderTest.start([nodeLifecycleController(), taintEvictionController()]);
});
afterAll(async () => {
  expect(cluster.rejections).toEqual([]);
  await cluster[Symbol.asyncDispose]();
});

const nodes = () => cluster.client.resource(Node);
const keyOf = (name: string) => ({ namespace: 'kube-node-lease', name });

/** Renews the node's lease and reports its Ready condition, as a kubelet does every ten seconds. */
async function beat(name: string, { ready = 'True' }: { readonly ready?: 'True' | 'False' } = {}): Promise<void> {
  const nowMs = cluster.clock.now();
  const spec = {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date(nowMs).toISOString().replace('Z', '000Z'),
  };
  const leases = cluster.client.resource(Lease);
  try {
    await leases.patch(keyOf(name), { type: 'merge', body: { spec } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await leases.create(Lease({ metadata: keyOf(name), spec }));
  }
  const present = (await nodes().get({ name })).status?.conditions?.find(({ type }) => type === 'Ready');
  if (present?.status === ready) return;
  const time = formatTime(nowMs);
  const condition = {
    type: 'Ready',
    status: ready,
    reason: 'R',
    message: '',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
  await nodes().status.patch({ name }, { type: 'strategic', body: { status: { conditions: [condition] } } });
}

async function addNode(name: string): Promise<void> {
  await nodes().create(Node({ metadata: { name, labels: { 'kubernetes.io/os': 'linux' } } }));
  await beat(name);
}

async function addPod(
  namespace: string,
  { name, nodeName, tolerationSeconds }: { name: string; nodeName: string; tolerationSeconds: number },
): Promise<void> {
  const keys = ['not-ready', 'unreachable'].map((key) => `node.kubernetes.io/${key}`);
  const tolerations = keys.map((key) => ({
    key,
    operator: 'Exists' as const,
    effect: 'NoExecute' as const,
    tolerationSeconds,
  }));
  const pods = cluster.client.resource(Pod);
  const pod = Pod({
    metadata: { name, namespace },
    spec: { nodeName, tolerations, containers: [{ name: 'c', image: 'i' }] },
  });
  await pods.create(pod);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await pods.status.patch({ namespace, name }, { type: 'merge', body: { status } });
}

/** Advances the clock while some nodes send heartbeats. */
async function pass(seconds: number, alive: readonly string[]): Promise<void> {
  for (let passed = 1; passed <= seconds; passed++) {
    await cluster.advance(1_000);
    if (passed % 10 === 0) for (const name of alive) await beat(name);
  }
  await cluster.settle();
}

async function taintsOf(name: string): Promise<readonly string[]> {
  const { spec } = await nodes().get({ name });
  return (spec?.taints ?? []).map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`).sort();
}
const readyOf = async (name: string) =>
  (await nodes().get({ name })).status?.conditions?.find(({ type }) => type === 'Ready');
const podOf = (namespace: string, name: string) => cluster.client.resource(Pod).get({ namespace, name });

describe('node lifecycle', () => {
  it('marks a node without heartbeats as unreachable and its pods as not ready, and evicts the pods when their toleration expires', async () => {
    const namespace = await cluster.namespace('silent');
    for (const name of ['a', 'b', 'c']) await addNode(name);
    await addPod(namespace, { name: 'patient', nodeName: 'b', tolerationSeconds: 300 });
    await addPod(namespace, { name: 'hasty', nodeName: 'b', tolerationSeconds: 30 });
    await addPod(namespace, { name: 'elsewhere', nodeName: 'a', tolerationSeconds: 0 });
    await pass(40, ['a', 'c']);
    expect((await readyOf('b'))?.status).toBe('True');
    await pass(20, ['a', 'c']);
    expect(await readyOf('b')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
    expect((await readyOf('b'))?.message).toBe('Kubelet stopped posting node status.');
    expect(await taintsOf('b')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    expect((await nodes().get({ name: 'b' })).metadata.labels).toMatchObject({ 'beta.kubernetes.io/os': 'linux' });
    expect((await podOf(namespace, 'patient')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'False' }]);
    expect((await podOf(namespace, 'elsewhere')).status?.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);

    await pass(40, ['a', 'c']);
    const evicted = await podOf(namespace, 'hasty');
    expect(evicted.metadata.deletionTimestamp).toBeDefined();
    expect(evicted.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'DeletionByTaintManager',
        message: 'Taint manager: deleting due to NoExecute taint',
      }),
    );
    await pass(10, ['a', 'b', 'c']);
    expect(await taintsOf('b')).toEqual([]);
    expect(await cluster.events(namespace)).toEqual([
      'hasty: Normal TaintManagerEviction: Marking for deletion Pod silent/hasty',
      'hasty: Warning NodeNotReady: Node is not ready',
      // prose-ok: upstream's text
      'patient: Normal TaintManagerEviction: Cancelling deletion of Pod silent/patient',
      'patient: Warning NodeNotReady: Node is not ready',
    ]);
    expect(await cluster.events('default')).toEqual(
      [
        ...['a', 'b', 'c'].map(
          (name) => `${name}: Normal RegisteredNode: Node ${name} event: Registered Node ${name} in Controller`,
        ),
        'b: Normal NodeNotReady: Node b status is now: NodeNotReady',
      ].sort(),
    );
  });

  it('adds a different taint for a node that reports that it is not ready', async () => {
    await beat('c', { ready: 'False' });
    await cluster.settle();
    await pass(20, ['a', 'b']);
    expect(await taintsOf('c')).toEqual(['not-ready:NoExecute', 'not-ready:NoSchedule']);
    await pass(60, ['a', 'b']);
    expect(await taintsOf('c')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    await pass(10, ['a', 'b', 'c']);
    expect(await taintsOf('c')).toEqual([]);
  });

  it('evicts no pods while no node is ready', async () => {
    const namespace = await cluster.namespace('disrupted');
    await addPod(namespace, { name: 'stays', nodeName: 'a', tolerationSeconds: 0 });
    await pass(120, []);
    for (const name of ['a', 'b', 'c']) expect(await taintsOf(name)).toEqual(['unreachable:NoSchedule']);
    expect((await podOf(namespace, 'stays')).metadata.deletionTimestamp).toBeUndefined();
    await beat('b');
    await cluster.settle();
    expect(await taintsOf('b')).toEqual([]);
    // The other nodes get some time to recover too.
    expect(await taintsOf('a')).toEqual(['unreachable:NoSchedule']);
    await pass(10, ['b']);
    expect(await taintsOf('a')).toEqual(['unreachable:NoExecute', 'unreachable:NoSchedule']);
    await cluster.settle();
    expect((await podOf(namespace, 'stays')).metadata.deletionTimestamp).toBeDefined();
  });

  it('records an event for a removed node', async () => {
    await nodes().delete({ name: 'c' });
    expect(await cluster.events('default')).toContain(
      'c: Normal RemovingNode: Node c event: Removing Node c from Controller',
    );
  });
});
