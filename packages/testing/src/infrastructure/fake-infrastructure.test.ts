import { X509Certificate } from 'node:crypto';
import { VirtualClock } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { CertificateSigningRequest } from '@kubewright/apimachinery/certificates/v1';
import { Event, Node, PersistentVolume, PersistentVolumeClaim, Pod, Service } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment, type TestNamespace } from '@kubewright/controlplane';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { toBeAbsent } from '../matchers/to-be-absent.ts';
import { toHaveCondition } from '../matchers/to-have-condition.ts';
import { toHaveEvent } from '../matchers/to-have-event.ts';
import { toMatch } from '../matchers/to-match.ts';
import { kubeletClientRequest } from '../testdata/signing-requests.ts';
import { eventually } from '../wait/eventually.ts';
import { FakeInfrastructure } from './fake-infrastructure.ts';

// The default is too short on a busy machine.
const patience = { timeoutMs: 30_000 };
const containers = [
  { name: 'web', image: 'web:1' },
  { name: 'log', image: 'log:1' },
];

describe('FakeInfrastructure', () => {
  let environment: TestEnvironment;
  let infrastructure: FakeInfrastructure;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ components: FakeInfrastructure.components });
    infrastructure = await FakeInfrastructure.start(environment);
  });
  afterAll(async () => {
    await infrastructure?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
  });
  let namespace: TestNamespace;
  beforeEach(async () => {
    namespace = await environment.namespace();
  });
  afterEach(() => namespace?.[Symbol.asyncDispose]());

  const create = (spec: object = {}) =>
    namespace.client.resource(Pod).create(Pod({ metadata: { name: 'web' }, spec: { containers, ...spec } }));
  const events = () => namespace.client.resource(Event).list();

  it('makes a pod ready, with the status of a kubelet', async () => {
    const pod = await infrastructure.makeReady(await create({ initContainers: [{ name: 'setup', image: 'setup:1' }] }));
    expect(pod.spec?.nodeName).toBe('fake-node');
    expect(pod.status).toMatchObject({
      phase: 'Running',
      hostIP: '10.0.0.1',
      podIP: expect.stringMatching(/^10\.244\./),
    });
    expect(pod.status?.conditions?.map(({ type, status }) => [type, status])).toEqual(
      ['PodReadyToStartContainers', 'Initialized', 'Ready', 'ContainersReady', 'PodScheduled'].map((type) => [
        type,
        'True',
      ]),
    );
    expect(pod.status?.initContainerStatuses).toMatchObject([{ state: { terminated: { reason: 'Completed' } } }]);
    const running = { ready: true, started: true, restartCount: 0, state: { running: {} } };
    expect(pod.status?.containerStatuses).toMatchObject([running, running]);
    const again = await infrastructure.makeReady(pod);
    expect(again.status).toEqual(pod.status);
  });

  it('keeps the times and restarts of init containers and sidecars, however often the pod changes', async () => {
    const clock = new VirtualClock(Date.UTC(2030, 0, 1));
    await using later = await FakeInfrastructure.start(environment, { clock });
    const proxy = { name: 'proxy', image: 'proxy:1', restartPolicy: 'Always' };
    const pod = await later.makeReady(await create({ initContainers: [{ name: 'setup', image: 'setup:1' }, proxy] }));
    await clock.advance(5_000);
    const { status } = await later.makeReady(pod);
    expect(status).toEqual(pod.status);
    expect(status?.initContainerStatuses).toMatchObject([
      { restartCount: 0, state: { terminated: { finishedAt: '2030-01-01T00:00:00Z' } } },
      { restartCount: 0, state: { running: { startedAt: '2030-01-01T00:00:00Z' } } },
    ]);
  });

  it('crashes a container, which waits longer each time before it restarts', async () => {
    await infrastructure.makeReady(await create());
    const crashed = await infrastructure.crash({ name: 'web', namespace: namespace.name }, { exitCode: 137 });
    expect(crashed.status?.phase).toBe('Running');
    toHaveCondition('Ready', {
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unready status: [web]',
    })(crashed);
    const { uid } = crashed.metadata;
    const message = (pause: string) =>
      `back-off ${pause} restarting failed container=web pod=web_${namespace.name}(${uid})`;
    expect(crashed.status?.containerStatuses).toMatchObject([
      {
        restartCount: 1,
        state: { waiting: { reason: 'CrashLoopBackOff', message: message('10s') } },
        lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
      },
      { restartCount: 0, ready: true },
    ]);
    toHaveEvent({ type: 'Warning', reason: 'BackOff', note: /^Back-off restarting failed container web/ })(
      await events(),
    );
    const recovered = await infrastructure.makeReady(crashed);
    expect(recovered.status?.containerStatuses).toMatchObject([
      { restartCount: 2, ready: true, lastState: { terminated: { exitCode: 137 } } },
      { restartCount: 0, ready: true, lastState: {} },
    ]);
    toHaveCondition('Ready')(recovered);
  });

  it.each([
    ['Never', 'Failed', { reason: 'Error', exitCode: 2, message: 'no disk' }],
    ['OnFailure', 'Running', undefined],
  ])(
    'crashes a container; with restart policy %s, the pod is %s afterwards',
    async (restartPolicy, phase, terminated) => {
      const pod = await create({ restartPolicy, containers: containers.slice(0, 1) });
      const { status } = await infrastructure.crash(pod, { exitCode: 2, message: 'no disk' });
      expect(status?.phase).toBe(phase);
      expect(status?.containerStatuses?.[0]?.state?.terminated).toEqual(
        terminated && expect.objectContaining(terminated),
      );
    },
  );

  it('simulates a failed image pull', async () => {
    const pod = await infrastructure.failPull(await create(), { container: 'log' });
    expect(pod.status?.phase).toBe('Pending');
    expect(pod.status?.containerStatuses?.[1]?.state?.waiting).toMatchObject({
      reason: 'ImagePullBackOff',
      message: expect.stringMatching(/^Back-off pulling image "log:1": ErrImagePull: /),
    });
    toHaveEvent({ type: 'Warning', reason: 'Failed', note: /^Failed to pull image "log:1": / })(await events());
    toHaveEvent({ type: 'Normal', reason: 'BackOff', note: 'Back-off pulling image "log:1"' })(await events());
    expect((await infrastructure.makeReady(pod)).status?.containerStatuses).toMatchObject([
      { ready: true },
      { restartCount: 0 },
    ]);
  });

  it('reports that no node fits a pod, until one does', async () => {
    const pod = await infrastructure.makeUnschedulable(await create(), {
      message: '0/3 nodes are available: 3 Insufficient cpu.',
    });
    expect(pod.status?.phase).toBe('Pending');
    toHaveCondition('PodScheduled', { status: 'False', reason: 'Unschedulable', message: /3 Insufficient cpu/ })(pod);
    toHaveEvent({ type: 'Warning', reason: 'FailedScheduling', note: /3 Insufficient cpu/ })(await events());
    toHaveCondition('PodScheduled')(await infrastructure.makeReady(pod));
  });

  it('makes a Deployment available, and terminates the pods that it deletes', async ({ skip }) => {
    skip(!environment.runs('deployment-controller'), 'no Deployment controller runs');
    const labels = { app: 'web' };
    const deployments = namespace.client.resource(Deployment);
    const metadata = { name: 'web' };
    const template = { metadata: { labels }, spec: { containers } };
    await deployments.create(
      Deployment({ metadata, spec: { replicas: 2, selector: { matchLabels: labels }, template } }),
    );
    const pods = () => namespace.client.resource(Pod).list({ labelSelector: 'app=web' });
    const { items } = await eventually(pods, (list) => list.items.length === 2, patience);
    for (const pod of items) await infrastructure.makeReady(pod);
    await eventually(() => deployments.get(metadata), toHaveCondition('Available'), patience);
    await deployments.patch(metadata, { type: 'merge', body: { spec: { replicas: 0 } } });
    await eventually(pods, toBeAbsent(), patience);
  });

  it('completes a Job, including pods created in the meantime', async () => {
    const template = { spec: { containers: containers.slice(0, 1), restartPolicy: 'Never' as const } };
    const job = Job({ metadata: { name: 'backup' }, spec: { completions: 3, parallelism: 1, template } });
    const complete = await infrastructure.complete(await namespace.client.resource(Job).create(job), patience);
    expect(complete.status).toMatchObject({ succeeded: 3 });
  });

  it('binds a claim to a volume', async () => {
    const metadata = { name: 'data' };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } };
    const claim = await namespace.client
      .resource(PersistentVolumeClaim)
      .create(PersistentVolumeClaim({ metadata, spec }));
    const bound = await infrastructure.bind(claim);
    toMatch({ phase: 'Bound', capacity: { storage: '5Gi' }, accessModes: ['ReadWriteOnce'] })(bound.status);
    const volumes = environment.client.resource(PersistentVolume);
    toMatch({ status: { phase: 'Bound' } })(await volumes.get({ name: bound.spec?.volumeName ?? '' }));
    expect((await infrastructure.bind(claim)).spec).toEqual(bound.spec);
  });

  it('gives a load balancer its address', async () => {
    const spec = { type: 'LoadBalancer' as const, ports: [{ port: 80 }], selector: { app: 'web' } };
    const service = await namespace.client.resource(Service).create(Service({ metadata: { name: 'web' }, spec }));
    const { status } = await infrastructure.assignAddress(service, '203.0.113.9');
    expect(status?.loadBalancer?.ingress).toEqual([{ ip: '203.0.113.9', ipMode: 'VIP' }]);
    // Each pod has its own address.
    await infrastructure.makeReady(await create());
    const assigned = await infrastructure.assignAddress(service);
    expect(assigned.status?.loadBalancer?.ingress).toEqual([{ ip: '203.0.113.1', ipMode: 'VIP' }]);
  });
});

describe('FakeInfrastructure.complete', () => {
  it('completes a Job of a control plane without a Job controller', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    await using infrastructure = await FakeInfrastructure.start(environment);
    await using namespace = await environment.namespace();
    const template = { spec: { containers: containers.slice(0, 1), restartPolicy: 'Never' as const } };
    const job = Job({ metadata: { name: 'backup' }, spec: { completions: 3, template } });
    const created = await namespace.client.resource(Job).create(job);
    const { status } = await infrastructure.complete(created);
    expect(status).toMatchObject({ succeeded: 3, completionTime: expect.any(String) });
    expect(status?.conditions).toMatchObject([
      { type: 'SuccessCriteriaMet', status: 'True', reason: 'CompletionsReached' },
      { type: 'Complete', status: 'True', reason: 'CompletionsReached' },
    ]);
    toHaveEvent({ reason: 'Completed', note: 'Job completed' })(await namespace.client.resource(Event).list());
  });
});

describe('FakeInfrastructure.sign', () => {
  it('approves a request and issues its certificate, for any signer', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    await using infrastructure = await FakeInfrastructure.start(environment);
    const request = Buffer.from(kubeletClientRequest).toString('base64');
    const spec = { request, signerName: 'example.com/shops', usages: ['client auth'], expirationSeconds: 3_600 };
    const requests = environment.client.resource(CertificateSigningRequest);
    const csr = await requests.create(CertificateSigningRequest({ metadata: { name: 'shop' }, spec }));
    const { status } = await infrastructure.sign(csr);
    expect(status?.conditions).toMatchObject([{ type: 'Approved', status: 'True' }]);
    const certificate = new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'));
    expect(certificate.subject).toContain('system:node:');
    expect(certificate.issuer).toBe('CN=fake-signer');
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBe(3_600_000);
  });
});

describe('FakeInfrastructure.start', () => {
  it('rejects an existing cluster', async () => {
    const existing = { backend: 'existing' } as TestEnvironment;
    await expect(FakeInfrastructure.start(existing)).rejects.toMatchObject({ code: 'KW8002' });
  });

  it.each([
    ['all', undefined, 'nodes, scheduler, node-lifecycle-controller, taint-eviction-controller, '],
    ['one', FakeInfrastructure.components.filter((each) => each !== '-scheduler'), 'scheduler;'],
  ])('rejects an environment that runs %s of the components it replaces', async (_, components, named) => {
    await using environment = await TestEnvironment.start(components && { components });
    const starting = FakeInfrastructure.start(environment);
    await expect(starting).rejects.toMatchObject({
      code: 'KW8002',
      message: expect.stringContaining(`the environment runs components that fake infrastructure replaces: ${named}`),
      remedy: 'pass components: FakeInfrastructure.components to TestEnvironment.start',
    });
    expect((await environment.client.resource(Node).list()).items).toEqual([]);
  });
});
