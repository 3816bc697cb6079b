import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Event, Node, Pod } from '@kubewright/apimachinery/core/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tableOf } from '../../packages/cli/src/trace/table.ts';
import { parseTarget, type TraceTarget } from '../../packages/cli/src/trace/target.ts';
import { hopsIn } from '../../packages/cli/src/trace/trace.ts';

const namespace = 'default';
const patience = { timeout: 50_000, interval: 200 };
let cluster: EmbeddedCluster;
beforeAll(async () => {
  cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' } });
  const nodes = cluster.client().resource(Node);
  // Without a ready node, the scheduler would first report a failure.
  await vi.waitUntil(async () => {
    const { items } = await nodes.list();
    const isReady = ({ spec, status }: Node) =>
      status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') && !spec?.taints?.length;
    return items.some(isReady);
  }, patience);
});
afterAll(() => cluster?.[Symbol.asyncDispose]());

/** The expected output, without times and versions, and with names that are the same in every run. */
const shown = `COMPONENT OBJECT WHAT
kubectl-create Deployment web created
deployment-controller Deployment web ScalingReplicaSet: Scaled up replica set web-1 from 0 to 1
kube-controller-manager ReplicaSet web-1 created
replicaset-controller ReplicaSet web-1 SuccessfulCreate: Created pod: web-1-a
kube-controller-manager Pod web-1-a created
default-scheduler Pod web-1-a bound to kubewright
default-scheduler Pod web-1-a Scheduled: Successfully assigned default/web-1-a to kubewright
kubelet Pod web-1-a Pulling: Pulling image "nginx"
kubelet Pod web-1-a Pulled: Successfully pulled image "nginx"
kubelet Pod web-1-a Created: Container created
kubelet Pod web-1-a Started: Container started
kubelet Pod web-1-a status: Running, 1 of 1 containers ready
kube-controller-manager ReplicaSet web-1 status: 1 of 1 ready
kube-controller-manager Deployment web status: 1 of 1 ready
`;

describe('kubewright trace', () => {
  it('prints each step from a Deployment to its running pod', { timeout: 60_000 }, async () => {
    const client = cluster.client();
    const matchLabels = { app: 'web' };
    const containers = [{ name: 'web', image: 'nginx' }];
    const template = { metadata: { labels: matchLabels }, spec: { containers } };
    const web = Deployment({ metadata: { name: 'web', namespace }, spec: { selector: { matchLabels }, template } });
    const { metadata } = await client.resource(Deployment).create(web, { fieldManager: 'kubectl-create' });
    const isDone = async () => {
      const { status } = await client.resource(Deployment).get({ namespace, name: 'web' });
      const { items } = await client.resource(Event).list({ namespace });
      const reasons = ['ScalingReplicaSet', 'SuccessfulCreate', 'Scheduled', 'Started'];
      return status?.readyReplicas === 1 && reasons.every((each) => items.some(({ reason }) => reason === each));
    };
    await expect.poll(isDone, patience).toBe(true);

    const { signal } = new AbortController();
    const hops = await hopsIn(client, { target: parseTarget('deploy/web') as TraceTarget, namespace, signal });
    const lines = tableOf(hops)
      .replaceAll(/web-\w+-\w+/g, 'web-1-a')
      .replaceAll(/web-[a-f0-9]{6,}/g, 'web-1');
    const plain = lines.replaceAll(/^\S+ +| in \d.*$/gm, '').replaceAll(/ {2,}(?:(?:\d+|VERSION) +)?/g, ' ');
    // Compares sorted lines. Lines of the same second are in causal order, but on a busy machine the steps take several
    // seconds.
    expect(plain.split('\n').sort()).toEqual(shown.split('\n').sort());
    for (const { resourceVersion, what } of hops) {
      expect(resourceVersion, what).toMatch(what.startsWith('bound') ? /^$/ : /^\d+$/);
    }
    expect(hops[0]).toMatchObject({ what: 'created', resourceVersion: metadata.resourceVersion });
    const [pod] = (await client.resource(Pod).list({ namespace })).items;
    const running = hops.find(({ what }) => what.startsWith('status: Running'));
    expect(running?.resourceVersion).toBe(pod?.metadata.resourceVersion);
  });

  it('numbers the steps of the request', async () => {
    const { signal } = new AbortController();
    const target = parseTarget('deployment/web') as TraceTarget;
    const hops = await hopsIn(cluster.client(), { target, namespace, signal, steps: true });
    const steps = (step: string) =>
      hops
        .filter((each) => each.step === step)
        .map(({ object, what }) => `${object.split(' ')[0]} ${what.split(' ')[0]}`);
    expect(steps('1-3')).toEqual(['Deployment created']);
    // Times are in whole seconds: an event can be a second later than its object.
    expect(steps('4').toSorted()).toEqual([
      'Deployment ScalingReplicaSet:',
      'Pod created',
      'ReplicaSet SuccessfulCreate:',
      'ReplicaSet created',
    ]);
    expect(steps('5-6')).toEqual(['Pod Scheduled:']);
    expect(steps('7-8')).toEqual(['Pod bound']);
    expect(steps('9-10')).toEqual(['Pod Pulling:', 'Pod Pulled:', 'Pod Created:', 'Pod Started:']);
    expect(steps('11-12')).toEqual(['Pod status:']);
    expect(steps('13').toSorted()).toEqual(['Deployment status:', 'ReplicaSet status:']);
    expect(hops.filter(({ step }) => step === undefined)).toEqual([]);
    const [first, second] = tableOf(hops, { steps: true }).split('\n');
    expect(first).toMatch(/^STEP +TIME +COMPONENT +OBJECT +VERSION +WHAT$/);
    expect(second).toMatch(/^1-3 +\S+Z +kubectl-create +Deployment web +\d+ +created$/);
  });

  it('traces the Deployment of article 000, whose replica set replaces a deleted pod', {
    timeout: 60_000,
  }, async () => {
    const client = cluster.client();
    const matchLabels = { app: 'my-app' };
    const containers = [{ name: 'my-container', image: 'nginx:latest' }];
    const template = { metadata: { labels: matchLabels }, spec: { containers } };
    const name = 'my-deployment';
    const spec = { replicas: 3, selector: { matchLabels }, template };
    await client.resource(Deployment).create(Deployment({ metadata: { name, namespace }, spec }));
    const uids = async () => {
      const { items } = await client.resource(Pod).list({ namespace, labelSelector: 'app=my-app' });
      return items
        .filter(({ status }) => status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'))
        .map(({ metadata }) => metadata.uid);
    };
    await expect.poll(uids, patience).toHaveLength(3);
    const before = await uids();
    const [first] = (await client.resource(Pod).list({ namespace, labelSelector: 'app=my-app' })).items;
    await client.resource(Pod).delete({ namespace, name: first?.metadata.name ?? '' });
    await expect.poll(async () => (await uids()).filter((uid) => !before.includes(uid)), patience).toHaveLength(1);
    await expect.poll(uids, patience).toHaveLength(3);

    const { signal } = new AbortController();
    const hops = await hopsIn(client, { target: parseTarget(`deployment/${name}`) as TraceTarget, namespace, signal });
    const created = hops
      .filter(({ what }) => what === 'created')
      .map(({ object }) => object.replace(/-\w+(-\w+)?$/, ''));
    expect(created.filter((each) => each.startsWith('Pod'))).toEqual([
      'Pod my-deployment',
      'Pod my-deployment',
      'Pod my-deployment',
    ]);
    expect(hops.map(({ object }) => object)).toContainEqual(
      expect.stringMatching(/^ReplicaSet my-deployment-[a-f0-9]+$/),
    );
  });

  it('names a workload that does not exist', async () => {
    const { signal } = new AbortController();
    const target = parseTarget('deployment/none') as TraceTarget;
    await expect(hopsIn(cluster.client(), { target, namespace, signal })).rejects.toMatchObject({
      code: 'KW7306',
      what: 'cannot trace Deployment default/none',
      why: 'the object does not exist',
      remedy:
        'check the name and the namespace: kubectl get deployments --all-namespaces; or wait for the object with --follow',
    });
  });

  it.each([
    ['web', 'It must be a kind and a name, such as deployment/web.'],
    ['service/web', 'The kind must be one of deployment, replicaset, statefulset, daemonset, cronjob, job, pod.'],
  ])('rejects %s', (text, why) => {
    expect(parseTarget(text)).toBe(why);
  });
});
