import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '@kubewright/apimachinery';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kustomize } from '../../packages/cli/src/render/kustomize.ts';
import { build, repository } from '../main-job/repository.ts';
import { isMissing } from '../main-job/user-shell.ts';
import { CommandLine } from './command-line.ts';

// Each generation is a process that loads a compiler.
vi.setConfig({ testTimeout: 180_000 });

let kubewright: CommandLine;
let root: string;
const run = (...args: readonly string[]) => kubewright.run(args, { cwd: root });
const of = (version: string, kind = 'Shop') => ['--group', 'web', '--version', version, '--kind', kind];
const text = (path: string): string => readFileSync(join(root, path), 'utf8');
const edit = (path: string, change: (text: string) => string): void => {
  const before = text(path);
  expect(change(before)).not.toBe(before);
  writeFileSync(join(root, path), change(before));
};

beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  await kubewright.run(['init', 'shop', '--domain', 'example.com', '--template', 'empty']);
  root = join(kubewright.folder, 'shop');
  await run('create', 'api', ...of('v1'));
}, 120_000);
afterAll(() => kubewright?.[Symbol.dispose]());

describe('kubewright create webhook', () => {
  it('writes the requested files, and registers them in main.ts', async () => {
    expect(await run('create', 'webhook', ...of('v1'), '--defaulting')).toEqual({
      code: 0,
      stderr: '',
      stdout: `✓ written              src/webhooks/v1/shop-defaults.ts
✓ changed              src/main.ts
To generate the manifests, run npm install, then npm run generate.
`,
    });
    const { stdout } = await run('create', 'webhook', ...of('v1'), '--defaulting', '--programmatic-validation');
    expect(stdout).toMatch(/^✓ written {14}src\/webhooks\/v1\/shop-rules\.ts\n✓ changed {14}src\/main\.ts\n/);
    expect(text('src/main.ts')).toBe(`import { runOperator } from '@kubewright/runtime';
import { shop } from './controllers/shop.ts';
import { shopDefaults } from './webhooks/v1/shop-defaults.ts';
import { shopRules } from './webhooks/v1/shop-rules.ts';

process.exitCode = await runOperator({
  webhooks: [shopDefaults, shopRules],
  controllers: [shop],
  leaderElection: { id: 'shop.example.com' },
});
`);
  });

  it('never overwrites files written by the user', async () => {
    edit('src/webhooks/v1/shop-defaults.ts', (before) => `${before}// mine\n`);
    const before = text('src/main.ts');
    expect((await run('create', 'webhook', ...of('v1'), '--defaulting')).stdout).toMatch(
      /^✓ kept {17}src\/webhooks\/v1\/shop-defaults\.ts\nTo generate/,
    );
    expect(text('src/webhooks/v1/shop-defaults.ts')).toMatch(/\/\/ mine\n$/);
    expect(text('src/main.ts')).toBe(before);
  });

  it('knows the kinds of the project, and suggests the nearest one', async () => {
    expect(await run('create', 'webhook', ...of('v1', 'Shopp'), '--validation')).toEqual({
      code: 1,
      stdout: '',
      stderr: `KW7105 the project has no kind Shopp (web.example.com/v1)
  why: src/ defines Shop (web.example.com/v1)
  fix: check the flags; did you mean --group web.example.com --version v1 --kind Shop?
`,
    });
    expect((await run('create', 'webhook', ...of('v1', 'Airport'), '--validation')).stderr).toContain(
      'fix: create the kind: kubewright create api --group web.example.com --version v1 --kind Airport\n',
    );
    expect(await run('create', 'webhook', ...of('v1'))).toMatchObject({ code: 2, stderr: /^KW7103 no webhook/ });
    expect((await run('create', 'webhook', ...of('v1'), '--conversion')).stderr).toBe(
      `KW7105 cannot create a conversion webhook for Shop
  why: v1 is the only version of the kind in web.example.com
  fix: add another version: kubewright create api --group web --version v2 --kind Shop --no-controller
`,
    );
  });

  it("knows Kubernetes' built-in kinds", async () => {
    const pods = ['create', 'webhook', '--group', 'core', '--version', 'v1', '--kind', 'Pod'];
    expect((await run(...pods, '--defaulting', '--validation')).stdout).toContain('src/webhooks/v1/pod-rules.ts\n');
    expect(text('src/webhooks/v1/pod-rules.ts')).toContain("import { Pod } from '@kubewright/apimachinery/core/v1';\n");
    expect((await run(...pods, '--conversion')).stderr).toMatch(
      /^KW7105 cannot create a conversion webhook for Pod of v1\n/,
    );
  });

  it('adds a version of a kind with the types of the stored one, and its conversion', async () => {
    edit('src/api/v1/shop.ts', (before) =>
      before
        .replace('readonly message: string;', 'readonly message: string;\n  readonly owner?: ShopOwner;')
        .replace(
          '/** The observed state',
          '/** Who pays. */\nexport interface ShopOwner {\n  readonly name: string;\n}\n\n/** The observed state',
        ),
    );
    edit('config/samples/web_v1_shop.yaml', (before) => `${before}  owner:\n    name: ann\n`);
    expect(await run('create', 'api', ...of('v1beta1'), '--yes')).toEqual({
      code: 0,
      stderr: '',
      stdout: `✓ written              src/api/v1beta1/shop.ts
✓ written              config/samples/web_v1beta1_shop.yaml
✓ written              src/webhooks/v1/shop-conversion.ts
✓ changed              src/main.ts
To generate the manifests, run npm install, then npm run generate.
`,
    });
    // Adding a version does not change the storage version.
    expect(text('src/api/v1beta1/shop.ts')).toContain("  kind: 'Shop',\n  storage: false,\n");
    expect(text('src/api/v1/shop.ts')).not.toContain('storage');
    expect(text('src/api/v1beta1/shop.ts')).toContain('readonly owner?: ShopV1beta1Owner;');
    expect(text('config/samples/web_v1beta1_shop.yaml')).toMatch(
      /name: shop-sample-v1beta1\n[\s\S]*owner:\n {4}name: ann\n$/,
    );
    expect(text('src/main.ts')).toContain('shopConversion]');
    expect(text('src/webhooks/v1/shop-conversion.ts')).toContain(
      "import { ShopV1beta1 } from '../../api/v1beta1/shop.ts';\n",
    );
    // No two versions share a name.
    const names = ['v1', 'v1beta1'].flatMap((version) =>
      [...text(`src/api/${version}/shop.ts`).matchAll(/^export (?:interface|const) (\w+)/gm)].map(([, name]) => name),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('prints what to add to the conversion for later versions', async () => {
    const { stdout } = await run('create', 'api', ...of('v1alpha1'), '--no-controller');
    expect(stdout).toContain(`! add to src/webhooks/v1/shop-conversion.ts import { ShopV1alpha1 } from`);
    expect(stdout).toContain('  spoke(ShopV1alpha1, {\n');
    expect((await run('create', 'webhook', ...of('v1'), '--conversion', '--yes')).stdout).toContain(
      `! add to src/webhooks/v1/shop-conversion.ts import { ShopV1alpha1 } from`,
    );
  });
});

describe('kubewright generate, with webhooks', () => {
  beforeAll(async () => {
    execFileSync('rm', ['-r', join(root, 'src/api/v1alpha1'), join(root, 'config/samples/web_v1alpha1_shop.yaml')]);
    symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  });

  const objects = () => kustomize(join(root, 'config', 'default'), { root }) as unknown as readonly Rendered[];
  const all = (kind: string, name?: string) =>
    objects().filter((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
  const one = (kind: string, name?: string): Rendered => {
    const [found] = all(kind, name);
    if (!found) throw new Error(`there is no ${kind} ${name ?? ''}`);
    return found;
  };

  /** The fields of all manifests that the tests read. */
  interface Rendered {
    readonly kind: string;
    readonly metadata: {
      readonly name: string;
      readonly namespace?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly spec: ReturnType<typeof JSON.parse>;
    readonly webhooks: ReturnType<typeof JSON.parse>;
    readonly rules: ReturnType<typeof JSON.parse>;
  }

  function expectKubectlToAgree(): void {
    if (isMissing('kubectl')) return;
    const rendered = execFileSync('kubectl', ['kustomize', 'config/default'], { cwd: root, encoding: 'utf8' });
    const theirs = parseAllDocuments(rendered).map((document) => document.toJS() as Rendered);
    const sorted = (some: readonly Rendered[]) =>
      [...some].sort((a, b) => `${a.kind}${a.metadata.name}`.localeCompare(`${b.kind}${b.metadata.name}`));
    expect(sorted(objects())).toEqual(sorted(theirs));
  }

  it('writes what a deployed operator with its own CA needs, and no excess permissions', async () => {
    const { code, stderr } = await run('generate');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectKubectlToAgree();
    const service = { name: 'shop-webhook-service', namespace: 'shop-system' };
    expect(one('MutatingWebhookConfiguration', 'shop-mutating-webhook-configuration').webhooks).toMatchObject([
      {
        clientConfig: { service: { ...service, path: '/mutate--v1-pod' } },
        namespaceSelector: {
          matchExpressions: [
            { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['kube-system', 'shop-system'] },
          ],
        },
      },
      {
        clientConfig: { service: { ...service, path: '/mutate-web-example-com-v1-shop' } },
        failurePolicy: 'Fail',
        name: 'mshop-v1.kb.io',
        sideEffects: 'None',
      },
    ]);
    expect(one('ValidatingWebhookConfiguration').webhooks[0].clientConfig.service).toMatchObject(service);
    expect(one('CustomResourceDefinition').spec.conversion.webhook.clientConfig.service).toEqual({
      ...service,
      path: '/convert',
    });
    expect(one('Service', service.name)).toMatchObject({
      metadata: service,
      spec: {
        ports: [{ port: 443, protocol: 'TCP', targetPort: 9443 }],
        selector: { 'control-plane': 'controller-manager', 'app.kubernetes.io/name': 'shop' },
      },
    });
    const { containers, volumes } = one('Deployment').spec.template.spec;
    expect(containers[0].args).toContain('--webhook-service=shop-system/shop-webhook-service');
    expect(containers[0].ports).toEqual([{ containerPort: 9443, name: 'webhook-server', protocol: 'TCP' }]);
    expect([containers[0].volumeMounts, volumes]).toEqual([[], []]);
    const verbs = ['get', 'update'];
    expect(one('ClusterRole', 'shop-webhook-certificates-role').rules).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resourceNames: ['shop-mutating-webhook-configuration'],
        resources: ['mutatingwebhookconfigurations'],
        verbs,
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resourceNames: ['shop-validating-webhook-configuration'],
        resources: ['validatingwebhookconfigurations'],
        verbs,
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resourceNames: ['shops.web.example.com'],
        resources: ['customresourcedefinitions'],
        verbs,
      },
    ]);
    expect(one('Role', 'shop-webhook-certificates-role').rules[1]).toEqual({
      apiGroups: [''],
      resourceNames: ['webhook-server-cert'],
      resources: ['secrets'],
      verbs,
    });
  });

  it('writes samples of each version as separate objects', () => {
    const samples = kustomize(join(root, 'config', 'samples'), { root });
    expect(samples.map(({ apiVersion, metadata }) => `${apiVersion} ${metadata?.name}`)).toEqual([
      'web.example.com/v1 shop-sample',
      'web.example.com/v1beta1 shop-sample-v1beta1',
    ]);
    if (isMissing('kubectl')) return;
    const rendered = execFileSync('kubectl', ['kustomize', 'config/samples'], { cwd: root, encoding: 'utf8' });
    expect(parseAllDocuments(rendered).map((document) => document.toJS())).toEqual(samples);
  });

  it('does not mention conversion on removal if its kinds are not installed', async () => {
    const directory = join(kubewright.folder, 'cluster');
    await using _cluster = await EmbeddedCluster.start({
      directory,
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
    });
    const env = { KUBECONFIG: join(directory, 'kubeconfig') };
    const { code, stdout, stderr } = await kubewright.run(['undeploy', '--yes'], { cwd: root, env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/✓ operator removed {5}0 objects\n$/);
  });

  it('produces files that compile', () => {
    const tsc = join(repository, 'node_modules/typescript/bin/tsc');
    expect(spawnSync(process.execPath, [tsc], { cwd: root, encoding: 'utf8' }).stdout).toBe('');
  });

  it('leaves certificates to cert-manager if package.json says so', async () => {
    edit('package.json', (before) =>
      before.replace('"domain": "example.com"', '"domain": "example.com", "certificates": "cert-manager"'),
    );
    expect(await run('generate')).toMatchObject({ code: 0, stderr: '' });
    expectKubectlToAgree();
    const injected = { 'cert-manager.io/inject-ca-from': 'shop-system/shop-serving-cert' };
    for (const kind of ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration', 'CustomResourceDefinition'])
      expect(one(kind).metadata.annotations).toMatchObject(injected);
    expect(one('Certificate', 'shop-serving-cert').spec).toEqual({
      dnsNames: ['shop-webhook-service.shop-system.svc', 'shop-webhook-service.shop-system.svc.cluster.local'],
      issuerRef: { kind: 'Issuer', name: 'shop-selfsigned-issuer' },
      secretName: 'webhook-server-cert',
    });
    expect(one('Issuer', 'shop-selfsigned-issuer').spec).toEqual({ selfSigned: {} });
    const { containers, volumes } = one('Deployment').spec.template.spec;
    expect(containers[0].args).toContain('--webhook-cert-path=/tmp/k8s-webhook-server/serving-certs');
    expect(containers[0].args).toContain('--metrics-cert-path=/tmp/k8s-metrics-server/metrics-certs');
    expect(containers[0].volumeMounts).toEqual([
      { mountPath: '/tmp/k8s-metrics-server/metrics-certs', name: 'metrics-certs', readOnly: true },
      { mountPath: '/tmp/k8s-webhook-server/serving-certs', name: 'webhook-certs', readOnly: true },
    ]);
    expect(volumes).toEqual([
      { name: 'metrics-certs', secret: { secretName: 'metrics-server-cert' } },
      { name: 'webhook-certs', secret: { secretName: 'webhook-server-cert' } },
    ]);
    const host = 'shop-controller-manager-metrics-service.shop-system.svc';
    expect(one('Certificate', 'shop-metrics-certs').spec).toMatchObject({
      dnsNames: [host, `${host}.cluster.local`],
      secretName: 'metrics-server-cert',
    });
    expect(all('ClusterRole', 'shop-webhook-certificates-role')).toEqual([]);
    edit('package.json', (before) => before.replace('cert-manager', 'somebody'));
    expect((await run('generate')).stderr).toMatch(/^KW7102 invalid value "somebody" of "certificates"/);
    edit('package.json', (before) => before.replace(', "certificates": "somebody"', ''));
  });
});
