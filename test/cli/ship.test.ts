import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';
import { renderChart } from './go-template.ts';

// Each command loads a compiler or a bundler.
vi.setConfig({ testTimeout: 120_000 });

interface Object {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

let kubewright: CommandLine;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

/** Makes a project that finds the workspace's packages, as after `npm install`. */
async function project(name: string): Promise<Project> {
  await kubewright.run(['init', name, '--domain', 'example.com']);
  const root = join(kubewright.folder, name);
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  return {
    root,
    run: (...args) => kubewright.run(args, { cwd: root }),
    read: (path) => readFileSync(join(root, path), 'utf8'),
    edit: (path, change) => writeFileSync(join(root, path), change(readFileSync(join(root, path), 'utf8'))),
  };
}

interface Project {
  readonly root: string;
  run(...args: readonly string[]): ReturnType<CommandLine['run']>;
  read(path: string): string;
  edit(path: string, change: (text: string) => string): void;
}

interface Release {
  readonly release: string;
  readonly namespace: string;
  readonly set?: readonly string[];
}

function chartIn({ root }: Project) {
  const folder = join(root, 'dist/chart');
  const paths = readdirSync(join(folder, 'templates'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = (name: string): unknown => parseDocument(readFileSync(join(folder, name), 'utf8')).toJS();
  return {
    templates: new Map(paths.sort().map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')])),
    values: read('values.yaml'),
    chart: read('Chart.yaml') as ChartYaml,
  };
}

interface ChartYaml {
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
}

interface Chart {
  readonly templates: ReadonlyMap<string, string>;
  readonly values: unknown;
  readonly chart: ChartYaml;
}

function install({ templates, values, chart }: Chart, { release, namespace, set = [] }: Release): readonly Object[] {
  const { name: Name, version: Version, appVersion: AppVersion } = chart;
  const root = {
    Values: set.reduce(withValue, values),
    Chart: { Name, Version, AppVersion },
    Release: { Name: release, Namespace: namespace, Service: 'Helm' },
  };
  return [...renderChart(templates, root).values()].flatMap(objectsIn);
}

/** `a.b[0]=c`, as `--set` has it. */
function withValue(values: unknown, setting: string): unknown {
  const [path = '', text = ''] = setting.split(/=(.*)/s);
  const value = text === 'true' ? true : text === 'false' ? false : /^\d+$/.test(text) ? Number(text) : text;
  const steps = path.split(/\.|(?=\[)/).map((step) => /^\[(\d+)\]$/.exec(step)?.[1] ?? step);
  const put = (at: unknown, [step = '', ...rest]: readonly string[]): unknown => {
    const copy: Record<string, unknown> = { ...(Array.isArray(at) ? {} : (at as object | undefined)) };
    copy[step] = rest.length === 0 ? value : put(copy[step], rest);
    return /^\d+$/.test(step) ? Object.values(copy) : copy;
  };
  return put(values, steps);
}

function objectsIn(text: string): readonly Object[] {
  return parseAllDocuments(text).flatMap((document) => {
    expect(document.errors).toEqual([]);
    const object: unknown = document.toJS();
    return object ? [object as Object] : [];
  });
}

function sorted(objects: readonly Object[]): readonly Object[] {
  const key = ({ kind, metadata }: Object): string => `${kind} ${metadata.name}`;
  return [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** Without what Helm's own rules add, the namespace, which it makes itself, and lists with nothing in them. */
function withoutHelm(objects: readonly Object[]): readonly Object[] {
  const others = objects
    .filter(({ kind }) => kind !== 'Namespace')
    .map((each) => JSON.parse(JSON.stringify(each).replace(/,"(volumes|volumeMounts)":\[\]/g, '')) as Object);
  return sorted(others).map((object) => {
    const { labels, annotations, ...metadata } = object.metadata;
    const { 'helm.sh/chart': _chart, 'app.kubernetes.io/instance': _instance, ...own } = labels ?? {};
    const { 'helm.sh/resource-policy': _policy, ...notes } = annotations ?? {};
    const managed =
      own['app.kubernetes.io/managed-by'] === undefined ? {} : { 'app.kubernetes.io/managed-by': 'anybody' };
    return { ...object, metadata: { ...metadata, labels: { ...own, ...managed }, annotations: notes } };
  });
}

describe('the renderer of these tests', () => {
  it('renders as Helm does', () => {
    const recorded = JSON.parse(readFileSync(join(import.meta.dirname, 'testdata/helm-recorded.json'), 'utf8')) as {
      readonly templates: Readonly<Record<string, string>>;
      readonly cases: readonly { readonly release: string; readonly set: readonly string[]; readonly text: string }[];
    } & Omit<Chart, 'templates'>;
    expect(recorded.cases.length).toBeGreaterThan(10);
    for (const { release, set, text } of recorded.cases) {
      const ours = install(
        { ...recorded, templates: new Map(Object.entries(recorded.templates)) },
        { release, set, namespace: 'there' },
      );
      expect(sorted(ours), `${release} ${set}`).toEqual(sorted(objectsIn(text)));
    }
  });
});

describe('kubewright build --helm', () => {
  let shop: Project;
  let chart: Chart;
  beforeAll(async () => {
    shop = await project('shop');
    expect(await shop.run('build', '--helm', '--image', 'registry.example.com/team/shop:1.2')).toMatchObject({
      code: 0,
    });
    chart = chartIn(shop);
  }, 120_000);

  it('renders what config/default renders to', () => {
    const ours = install(chart, { release: 'shop', namespace: 'shop-system' });
    const theirs = objectsIn(shop.read('dist/install.yaml'));
    expect(withoutHelm(ours)).toEqual(withoutHelm(theirs));
    expect(ours.length).toBe(theirs.length - 1);
  });

  it('leaves no name of the project behind in a release of another name', () => {
    const ours = install(chart, { release: 'mine', namespace: 'there' });
    const names = ours.filter(({ kind }) => kind !== 'CustomResourceDefinition').map(({ metadata }) => metadata.name);
    expect(names.filter((name) => !name.startsWith('mine-shop-'))).toEqual([]);
    expect(JSON.stringify(ours)).not.toContain('shop-system');
    const [binding] = ours.filter(({ metadata }) => metadata.name === 'mine-shop-manager-rolebinding');
    expect(binding).toMatchObject({
      roleRef: { name: 'mine-shop-manager-role' },
      subjects: [{ name: 'mine-shop-controller-manager', namespace: 'there' }],
    });
  });

  it.each<{ readonly set: readonly string[]; readonly has?: readonly string[]; readonly lacks?: readonly string[] }>([
    { set: ['crd.enabled=false'], lacks: ['CustomResourceDefinition shops.shop.example.com'] },
    { set: ['rbac.helpers.enabled=false'], lacks: ['ClusterRole shop-shop-admin-role'] },
    {
      set: ['metrics.enabled=false'],
      lacks: ['Service shop-controller-manager-metrics-service', 'ClusterRole shop-metrics-auth-role'],
    },
    { set: ['prometheus.enabled=true'], has: ['ServiceMonitor shop-controller-manager-metrics-monitor'] },
    { set: ['networkPolicy.enabled=true'], has: ['NetworkPolicy shop-allow-metrics-traffic'] },
    { set: ['serviceAccount.enabled=false'], lacks: ['ServiceAccount shop-controller-manager'] },
    {
      set: ['rbac.namespaced=true'],
      has: ['Role shop-manager-role', 'RoleBinding shop-manager-rolebinding', 'ClusterRole shop-metrics-auth-role'],
      lacks: ['ClusterRole shop-manager-role'],
    },
  ])('takes $set', ({ set, has = [], lacks = [] }) => {
    const rendered = install(chart, { release: 'shop', namespace: 'shop-system', set });
    const found = rendered.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const each of has) expect(found).toContain(each);
    for (const each of lacks) expect(found).not.toContain(each);
  });

  it('hands values to the deployment', () => {
    const set = [
      'metrics.secure=false',
      'metrics.port=9090',
      'rbac.namespaced=true',
      'manager.replicas=2',
      'manager.image.tag=',
    ];
    const rendered = install(chart, { release: 'shop', namespace: 'there', set });
    const [deployment] = rendered.filter(({ kind }) => kind === 'Deployment');
    expect(deployment).toMatchObject({ spec: { replicas: 2 } });
    const text = JSON.stringify(deployment);
    for (const part of [
      '"--metrics-bind-address=:9090"',
      '"--metrics-secure=false"',
      '"--namespace=there"',
      '/team/shop:0.1.0"',
    ])
      expect(text).toContain(part);
    const [service] = rendered.filter(({ kind }) => kind === 'Service');
    expect(service).toMatchObject({ spec: { ports: [{ name: 'http', port: 9090, targetPort: 9090 }] } });
  });

  it('says what is in it, to Helm and to Artifact Hub', () => {
    expect(chart.chart).toMatchObject({ name: 'shop', version: '0.1.0', appVersion: '0.1.0' });
    const { annotations } = chart.chart as ChartYaml & { readonly annotations: Readonly<Record<string, string>> };
    const crds = parseDocument(annotations['artifacthub.io/crds'] ?? '').toJS() as readonly object[];
    expect(crds).toEqual([
      {
        kind: 'Shop',
        version: 'v1',
        name: 'shops.shop.example.com',
        displayName: 'Shop',
        description: 'Shop is kept by this operator.',
      },
    ]);
    expect(parseDocument(annotations['artifacthub.io/images'] ?? '').toJS()).toEqual([
      { name: 'shop', image: 'registry.example.com/team/shop:1.2' },
    ]);
    const schema = JSON.parse(shop.read('dist/chart/values.schema.json')) as { readonly properties: object };
    // Every default has a place in the schema, which is closed.
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(chart.values as object)));
  });

  it.skipIf(isMissing('helm'))('is one that Helm lints and renders alike', () => {
    const folder = join(shop.root, 'dist/chart');
    const lint = spawnSync('helm', ['lint', '--strict', folder], { encoding: 'utf8' });
    expect({ status: lint.status, text: lint.stdout }).toMatchObject({ status: 0 });
    const { stdout } = spawnSync('helm', ['template', 'a', folder, '-n', 'b'], { encoding: 'utf8' });
    expect(sorted(install(chart, { release: 'a', namespace: 'b' }))).toEqual(sorted(objectsIn(stdout)));
    const wrong = spawnSync('helm', ['template', 'a', folder, '--set', 'metrics.prot=1'], { encoding: 'utf8' });
    expect(wrong.stderr).toContain("additional properties 'prot' not allowed");
  });

  it('writes what kubectl renders, monitors and policies included', () => {
    for (const folder of ['prometheus', 'network-policy'])
      expect(kustomize(join(shop.root, 'config', folder), { root: shop.root }).length).toBe(1);
    expect(existsSync(join(shop.root, 'dist/chart/templates/prometheus'))).toBe(true);
  });
});
