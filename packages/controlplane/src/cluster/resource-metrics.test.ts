import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
const path = '/apis/metrics.k8s.io/v1beta1';
const patience = { timeout: 30_000 };

interface Metrics {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly window: string;
  readonly usage?: Readonly<Record<string, string>>;
  readonly containers?: readonly { readonly name: string; readonly usage: Readonly<Record<string, string>> }[];
}

describe('metrics.k8s.io of a cluster with simulated nodes', () => {
  let cluster: EmbeddedCluster;
  beforeAll(async () => {
    cluster = await EmbeddedCluster.start({ node: { driver: 'simulated', count: 2 } });
    await run('busy', { cpu: '250m', memory: '64Mi', 'cpu.side': '1', 'memory.side': '100' });
    await run('usual', {}, { requests: { cpu: '100m', memory: '32Mi' } });
    // Usage is measured from the start of a container.
    await vi.waitFor(async () => {
      const windows = (await pods()).map(({ window }) => Number.parseFloat(window));
      if (windows.length < 2 || windows.includes(0)) throw new Error('the pods do not run yet');
    }, patience);
  });
  afterAll(() => cluster.stop());

  async function run(name: string, annotations: Record<string, string>, resources: object = {}): Promise<void> {
    const annotated = Object.entries(annotations).map(([what, value]) => [`simulated.kubewright.dev/${what}`, value]);
    const containers = ['main', ...(name === 'busy' ? ['side'] : [])].map((container) => ({
      name: container,
      image: 'any/image:1',
      resources,
    }));
    const metadata = {
      namespace: 'default',
      name,
      labels: { app: name },
      annotations: Object.fromEntries(annotated) as Record<string, string>,
    };
    await cluster
      .client()
      .resource(Pod)
      .create(Pod({ metadata, spec: { containers } }));
  }

  const get = (of: string) => cluster.client().request({ method: 'GET', path: `${path}${of}` });
  async function pods(query = ''): Promise<readonly Metrics[]> {
    return ((await get(`/namespaces/default/pods${query}`)) as { readonly items: readonly Metrics[] }).items;
  }

  it('has the usage of each container: the annotated amount, or else half of its requests', async () => {
    const [busy, usual] = await pods();
    expect(busy).toMatchObject({ kind: 'PodMetrics', metadata: { name: 'busy', labels: { app: 'busy' } } });
    expect(busy?.containers).toEqual([
      { name: 'main', usage: { cpu: '250000000n', memory: '65536Ki' } },
      { name: 'side', usage: { cpu: '1000000000n', memory: '100' } },
    ]);
    expect(usual?.containers).toEqual([{ name: 'main', usage: { cpu: '50000000n', memory: '16384Ki' } }]);
  });

  it('selects pods by labels, and returns a single pod', async () => {
    expect((await pods('?labelSelector=app%3Dusual')).map(({ metadata }) => metadata.name)).toEqual(['usual']);
    expect(await get('/namespaces/default/pods/usual')).toMatchObject({ metadata: { name: 'usual' } });
    await expect(get('/namespaces/default/pods/other')).rejects.toThrow('pods.metrics.k8s.io "other" not found');
    expect((await get('/pods')) as object).toHaveProperty('items.length', 2);
  });

  it('adds up the pods of a node', async () => {
    const { items } = (await get('/nodes')) as { readonly items: readonly Metrics[] };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(['kubewright', 'kubewright-2']);
    expect(items[0]?.metadata.labels).toHaveProperty(['kubernetes.io/hostname'], 'kubewright');
    const sum = (resource: string) =>
      items.reduce((all, { usage }) => all + Number.parseInt(usage?.[resource] ?? '0', 10), 0);
    expect(sum('cpu')).toBe(1_300_000_000);
  });

  it('is a group of the cluster with an APIService', async () => {
    const { resources } = (await get('')) as { readonly resources: readonly object[] };
    expect(resources).toMatchObject([
      { name: 'nodes', namespaced: false, kind: 'NodeMetrics', verbs: ['get', 'list'] },
      { name: 'pods', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] },
    ]);
    const service = '/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.metrics.k8s.io';
    expect(await cluster.client().request({ method: 'GET', path: service })).toMatchObject({
      spec: { groupPriorityMinimum: 100, versionPriority: 100 },
      status: { conditions: [{ type: 'Available', status: 'True' }] },
    });
    const document = '/openapi/v3/apis/metrics.k8s.io/v1beta1';
    expect(await cluster.client().request({ method: 'GET', path: document })).toMatchObject({
      paths: { '/apis/metrics.k8s.io/v1beta1/namespaces/{namespace}/pods': { get: expect.anything() } },
    });
  });

  describe.skipIf(!hasKubectl)('through kubectl', () => {
    const kubectl = async (...args: readonly string[]) => {
      const { stdout } = await promisify(execFile)('kubectl', ['--kubeconfig', cluster.kubeconfig, ...args]);
      return stdout.split('\n').map((line) => line.trimEnd().replace(/ {2,}/g, '  '));
    };

    it('shows pods, their containers and nodes with top', async () => {
      expect(await kubectl('top', 'pod')).toEqual([
        'NAME  CPU(cores)  MEMORY(bytes)',
        'busy  1250m  64Mi',
        'usual  50m  16Mi',
        '',
      ]);
      expect(await kubectl('top', 'pod', 'busy', '--containers', '--no-headers')).toEqual([
        'busy  main  250m  64Mi',
        'busy  side  1000m  0Mi',
        '',
      ]);
      const [head, ...nodes] = await kubectl('top', 'node');
      expect(head).toBe('NAME  CPU(cores)  CPU(%)  MEMORY(bytes)  MEMORY(%)');
      expect(nodes.filter((line) => line.startsWith('kubewright'))).toHaveLength(2);
    });

    it('prints the columns of metrics-server', async () => {
      const [head, busy] = await kubectl('get', 'pods.metrics.k8s.io');
      expect(head).toBe('NAME  CPU  MEMORY  WINDOW');
      expect(busy).toMatch(/^busy {2}1250000000n {2}67108964 {2}[\d.]+s$/);
    });
  });
});

it('serves no metrics without the component', async () => {
  await using cluster = await EmbeddedCluster.start({ node: { driver: 'simulated' }, components: ['*', '-metrics'] });
  await expect(cluster.client().request({ method: 'GET', path })).rejects.toMatchObject({ httpStatus: 404 });
});
