import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
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

interface Release {
  readonly release: string;
  readonly namespace: string;
  readonly set?: readonly string[];
}

function chartIn({ root }: CliProject) {
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

/** Applies a setting such as `a.b[0]=c`, like `--set`. */
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

/**
 * Drops empty lists, the Namespace (which Helm creates itself), and the labels and annotations that Helm's conventions
 * add.
 */
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
  it('renders like Helm', () => {
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
  let shop: CliProject;
  let chart: Chart;
  beforeAll(async () => {
    shop = await cliProject(kubewright, 'shop');
    expect(await shop.run('build', '--helm', '--image', 'registry.example.com/team/shop:1.2')).toMatchObject({
      code: 0,
    });
    chart = chartIn(shop);
  }, 120_000);

  it('renders the same as config/default', () => {
    const ours = install(chart, { release: 'shop', namespace: 'shop-system' });
    const theirs = objectsIn(shop.read('dist/install.yaml'));
    expect(withoutHelm(ours)).toEqual(withoutHelm(theirs));
    expect(ours.length).toBe(theirs.length - 1);
  });

  it("does not use the project's name in a release with another name", () => {
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
  ])('accepts $set', ({ set, has = [], lacks = [] }) => {
    const rendered = install(chart, { release: 'shop', namespace: 'shop-system', set });
    const found = rendered.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    for (const each of has) expect(found).toContain(each);
    for (const each of lacks) expect(found).not.toContain(each);
  });

  it('passes values to the deployment', () => {
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

  it('has metadata for Helm and Artifact Hub', () => {
    expect(chart.chart).toMatchObject({ name: 'shop', version: '0.1.0', appVersion: '0.1.0' });
    const { annotations } = chart.chart as ChartYaml & { readonly annotations: Readonly<Record<string, string>> };
    const crds = parseDocument(annotations['artifacthub.io/crds'] ?? '').toJS() as readonly object[];
    expect(crds).toEqual([
      {
        kind: 'Shop',
        version: 'v1',
        name: 'shops.shop.example.com',
        displayName: 'Shop',
        description: 'Shop is managed by this operator.',
      },
    ]);
    expect(parseDocument(annotations['artifacthub.io/images'] ?? '').toJS()).toEqual([
      { name: 'shop', image: 'registry.example.com/team/shop:1.2' },
    ]);
    const schema = JSON.parse(shop.read('dist/chart/values.schema.json')) as { readonly properties: object };
    // The schema, which forbids additional properties, has an entry for every default.
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(Object.keys(chart.values as object)));
  });

  it('writes the same objects as kubectl kustomize, including monitors and policies', () => {
    for (const folder of ['prometheus', 'network-policy'])
      expect(kustomize(join(shop.root, 'config', folder), { root: shop.root }).length).toBe(1);
    expect(existsSync(join(shop.root, 'dist/chart/templates/prometheus'))).toBe(true);
  });
});

/** Sets in package.json who signs the certificates for a project's webhooks and metrics. */
function signedBy(project: CliProject, certificates: string): void {
  project.edit('package.json', (text) =>
    text.replace(
      /"domain": "example.com"(,\s*"certificates": "[^"]*")?/,
      `"domain": "example.com", "certificates": "${certificates}"`,
    ),
  );
}

describe('the certificates of a chart', () => {
  it('are chosen at installation, regardless of package.json', async () => {
    const twin = await cliProject(kubewright, 'twin');
    const kind = ['--group', 'twin', '--kind', 'Twin'];
    expect(await twin.run('create', 'api', ...kind, '--version', 'v2', '--no-controller')).toMatchObject({ code: 0 });
    const asked = ['--validation', '--conversion'];
    expect(await twin.run('create', 'webhook', ...kind, '--version', 'v1', ...asked)).toMatchObject({ code: 0 });
    const built = [];
    for (const certificates of ['own', 'cert-manager']) {
      signedBy(twin, certificates);
      const args = ['build', '--helm', '--image', 'registry.example.com/twin:1'];
      expect(await twin.run(...args)).toMatchObject({ code: 0, stderr: '' });
      built.push({ chart: chartIn(twin), objects: objectsIn(twin.read('dist/install.yaml')) });
    }
    const release = { release: 'twin', namespace: 'twin-system' };
    for (const { chart } of built) {
      for (const [index, enabled] of [false, true].entries()) {
        const rendered = install(chart, { ...release, set: [`certManager.enabled=${enabled}`] });
        expect(withoutHelm(rendered)).toEqual(withoutHelm(built[index]?.objects ?? []));
      }
      const without = install(chart, { ...release, set: ['webhook.enabled=false', 'certManager.enabled=true'] });
      expect(JSON.stringify(without)).not.toMatch(/webhook-certs|serving-cert"|webhook-certificates/);
    }
    // Only their defaults differ.
    const [own, byCertManager] = built.map(({ chart }) => chart);
    expect(byCertManager?.values).toEqual({ ...(own?.values as object), certManager: { enabled: true } });
    const set = ['certManager.enabled=true', 'prometheus.enabled=true'];
    const monitors = [own, byCertManager].map(
      (chart) => chart && install(chart, { ...release, set }).filter(({ kind: each }) => each === 'ServiceMonitor'),
    );
    expect(monitors[0]).toEqual(monitors[1]);
    expect(JSON.stringify(monitors[0])).toContain('"insecureSkipVerify":false');
  });
});

describe("a chart's webhooks", () => {
  let hook: CliProject;
  const image = ['--image', 'registry.example.com/hook:1'];
  beforeAll(async () => {
    hook = await cliProject(kubewright, 'hook');
    const kind = ['--group', 'hook', '--version', 'v1', '--kind', 'Hook'];
    expect(await hook.run('create', 'webhook', ...kind, '--validation', '--defaulting')).toMatchObject({ code: 0 });
  }, 120_000);

  it.each(['own', 'cert-manager'])('match config/default, with certificates of %s', async (certificates) => {
    signedBy(hook, certificates);
    expect(await hook.run('build', '--helm', ...image)).toMatchObject({ code: 0, stderr: '' });
    const chart = chartIn(hook);
    const ours = install(chart, { release: 'hook', namespace: 'hook-system' });
    expect(withoutHelm(ours)).toEqual(withoutHelm(objectsIn(hook.read('dist/install.yaml'))));
    expect(ours.filter(({ kind }) => kind === 'Certificate').length).toBe(certificates === 'own' ? 0 : 2);
    const renamed = install(chart, { release: 'mine', namespace: 'there' });
    expect(JSON.stringify(renamed)).not.toMatch(/hook-system|"hook-(?!0\.1\.0)/);
    expect(renamed.filter(({ kind }) => kind === 'ValidatingWebhookConfiguration')).toMatchObject([
      { webhooks: [{ clientConfig: { service: { name: 'mine-hook-webhook-service', namespace: 'there' } } }] },
    ]);
  });

  it('can be disabled', () => {
    const rendered = install(chartIn(hook), {
      release: 'hook',
      namespace: 'hook-system',
      set: ['webhook.enabled=false', 'certManager.enabled=false'],
    });
    const text = JSON.stringify(rendered);
    expect(text).toContain('"--webhook-port=-1"');
    expect(text).not.toMatch(/WebhookConfiguration|webhook-service|cert-manager|(webhook|metrics)-cert/);
  });

  it('are declared to OLM only in the CSV', async () => {
    expect(await hook.run('build', '--olm', ...image)).toMatchObject({ code: 0, stderr: '' });
    const [csv] = objectsIn(hook.read('dist/bundle/manifests/hook.clusterserviceversion.yaml'));
    expect(csv).toMatchObject({
      spec: {
        webhookdefinitions: [
          { type: 'MutatingAdmissionWebhook', deploymentName: 'hook-controller-manager', targetPort: 9443 },
          { type: 'ValidatingAdmissionWebhook', webhookPath: '/validate-hook-example-com-v1-hook' },
        ],
      },
    });
    expect(JSON.stringify(csv)).toContain('"--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs"');
    // The cert-manager certificate for metrics is absent, and so is everything that uses it.
    expect(JSON.stringify(csv)).not.toMatch(/metrics-cert/);
    const files = readdirSync(join(hook.root, 'dist/bundle/manifests')).join(' ');
    expect(files).not.toMatch(/webhook|certificate/);
  });
});

describe('kubewright build', () => {
  let tea: CliProject;
  beforeAll(async () => {
    tea = await cliProject(kubewright, 'tea-shop');
    expect(await tea.run('build', '--olm', '--image', 'registry.example.com/tea:1')).toMatchObject({
      code: 0,
      stderr: '',
    });
  }, 120_000);

  it('lists the packages in the bundle, and no others', () => {
    const bill = JSON.parse(tea.read('dist/sbom.cdx.json')) as {
      readonly bomFormat: string;
      readonly serialNumber: string;
      readonly metadata: { readonly component: { readonly purl: string } };
      readonly components: readonly { readonly purl: string; readonly licenses?: readonly object[] }[];
      readonly dependencies: readonly { readonly dependsOn: readonly string[] }[];
    };
    expect(bill.bomFormat).toBe('CycloneDX');
    expect(bill.metadata.component.purl).toBe('pkg:npm/tea-shop@0.1.0');
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    const names = bill.components.map(({ purl }) => purl.replace(/@[^@]*$/, ''));
    expect(names).toEqual(expect.arrayContaining(['pkg:npm/%40kubewright/runtime', 'pkg:npm/%40kubewright/client']));
    // esbuild builds the bundle but is not part of it.
    expect(names).not.toContain('pkg:npm/esbuild');
    expect(bill.components.every(({ licenses }) => licenses !== undefined)).toBe(true);
    expect(bill.dependencies[0]?.dependsOn).toEqual(bill.components.map(({ purl }) => purl));
    // Every package in the source map has an entry.
    const { sources } = JSON.parse(tea.read('dist/main.mjs.map')) as { readonly sources: readonly string[] };
    const mapped = sources.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source)?.[1] ?? []);
    for (const name of new Set(mapped)) expect(names).toContain(`pkg:npm/${name.replace('@', '%40')}`);
  });

  it('writes an image context without a shell, for the user 65532', () => {
    const text = tea.read('dist/Dockerfile');
    expect(text).toMatch(/^FROM gcr\.io\/distroless\/nodejs\d+-debian12:nonroot$/m);
    expect(text).toMatch(/^USER 65532:65532$/m);
    expect(text).toMatch(/^ENTRYPOINT \["/m);
    expect(text).not.toMatch(/^(RUN|CMD)/m);
    for (const [, names = ''] of text.matchAll(/^COPY (.*) \.\/$/gm))
      for (const name of names.split(' ')) expect(existsSync(join(tea.root, 'dist', name))).toBe(true);
  });

  it('writes an OLM bundle', () => {
    const { annotations } = parseDocument(tea.read('dist/bundle/metadata/annotations.yaml')).toJS() as {
      readonly annotations: Readonly<Record<string, string>>;
    };
    expect(annotations).toEqual({
      'operators.operatorframework.io.bundle.mediatype.v1': 'registry+v1',
      'operators.operatorframework.io.bundle.manifests.v1': 'manifests/',
      'operators.operatorframework.io.bundle.metadata.v1': 'metadata/',
      'operators.operatorframework.io.bundle.package.v1': 'tea-shop',
      'operators.operatorframework.io.bundle.channels.v1': 'candidate',
      'operators.operatorframework.io.bundle.channel.default.v1': 'candidate',
      'operators.operatorframework.io.metrics.builder': expect.stringMatching(/^kubewright-v/),
    });
    const [csv] = objectsIn(tea.read('dist/bundle/manifests/tea-shop.clusterserviceversion.yaml'));
    expect(csv).toMatchObject({
      metadata: { name: 'tea-shop.v0.1.0' },
      spec: {
        version: '0.1.0',
        customresourcedefinitions: {
          owned: [
            {
              name: 'teashops.tea-shop.example.com',
              kind: 'TeaShop',
              displayName: 'Tea Shop',
              specDescriptors: [{ path: 'message', displayName: 'Message' }],
              statusDescriptors: [
                { path: 'conditions', 'x-descriptors': ['urn:alm:descriptor:io.kubernetes.conditions'] },
                { path: 'observedGeneration' },
              ],
            },
          ],
        },
        relatedImages: [{ name: 'tea', image: 'registry.example.com/tea:1' }],
        install: {
          strategy: 'deployment',
          spec: {
            clusterPermissions: [{ serviceAccountName: 'tea-shop-controller-manager' }],
            permissions: [{ serviceAccountName: 'tea-shop-controller-manager' }],
            deployments: [{ name: 'tea-shop-controller-manager' }],
          },
        },
      },
    });
    const files = readdirSync(join(tea.root, 'dist/bundle/manifests'));
    // OLM creates these objects from the CSV.
    expect(files.filter((name) => /binding|serviceaccount|deployment|manager-role/.test(name))).toEqual([]);
    expect(files).toContain('tea-shop.example.com_teashops.yaml');
  });

  it('rejects a bundle that breaks a rule', async () => {
    const sample = 'config/samples/tea-shop_v1_teashop.yaml';
    const good = tea.read(sample);
    const built = ['main.mjs', 'main.mjs.map', 'sbom.cdx.json', 'install.yaml'].map((name) => `dist/${name}`);
    const before = built.map(tea.read);
    tea.edit(sample, (text) => text.replace('kind: TeaShop', 'kind: Coffee'));
    const { code, stderr } = await tea.run('build', '--olm', '--image', 'registry.example.com/tea:1');
    tea.edit(sample, () => good);
    // A second build produces identical files.
    expect(built.filter((path, index) => tea.read(path) !== before[index])).toEqual([]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `KW7505 the OLM bundle is invalid and was not written
  why: alm-examples has no example of tea-shop.example.com/v1 TeaShop: add one to config/samples
    alm-examples has tea-shop.example.com/v1 Coffee, which the CSV does not own
  fix: fix package.json, config/samples or the types as described above, then build again
`,
    });
  });

  it('requires an image and a version for a bundle', async () => {
    expect(await tea.run('build', '--olm')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7503 cannot build the OLM bundle
  why: no image was specified, and the placeholder controller:latest does not exist
  fix: specify an image: kubewright build --olm --image registry.example.com/tea-shop:0.1.0
`,
    });
    tea.edit('package.json', (text) => text.replace('"version": "0.1.0"', '"version": "next"'));
    const { stderr } = await tea.run('build');
    tea.edit('package.json', (text) => text.replace('"version": "next"', '"version": "0.1.0"'));
    expect(stderr).toBe(`KW7102 invalid version "next" in package.json
  why: the chart and the bundle use this version, which must be a semantic version such as 0.1.0
  fix: set a version: npm version 0.1.0 --no-git-tag-version
`);
  });
});
