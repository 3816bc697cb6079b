import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'kw-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => void vi.unstubAllEnvs());

const manifest = join(import.meta.dirname, '../kubectl/testdata/manifests/postgresql-crd.yaml');
const definition = 'postgresqls.database.db.example.com';
const named = async ({ client }: TestEnvironment): Promise<readonly string[]> =>
  (await client.resource(CustomResourceDefinition).list()).items.map(({ metadata }) => metadata.name);

describe('a test environment', () => {
  it('uses the embedded cluster by default, with the given kinds, and leaves nothing behind', async () => {
    const environment = await TestEnvironment.start({ env: {}, manifests: [manifest] });
    expect(environment.backend).toBe('embedded');
    expect(await named(environment)).toEqual([definition]);
    const { kubeconfig = '' } = environment;
    expect(existsSync(kubeconfig)).toBe(true);
    await environment[Symbol.asyncDispose]();
    expect(existsSync(dirname(kubeconfig))).toBe(false);
  });

  it('uses the cluster of KUBECONFIG with USE_EXISTING_CLUSTER, and leaves it unchanged', async () => {
    await using cluster = await TestEnvironment.start({ env: {} });
    const env = { USE_EXISTING_CLUSTER: 'true', KUBECONFIG: cluster.kubeconfig };
    const first = await TestEnvironment.start({ env, manifests: [manifest] });
    expect([first.backend, first.kubeconfig]).toEqual(['existing', cluster.kubeconfig]);
    expect(await named(cluster)).toEqual([definition]);
    const metadata = { name: 'kept', namespace: 'default' };
    await first.client.resource(ConfigMap).create(ConfigMap({ metadata }));

    // The second environment applies a kind that already exists, and must not delete the kind when it stops.
    const second = await TestEnvironment.start({ env, manifests: [manifest] });
    await second[Symbol.asyncDispose]();
    expect(await named(cluster)).toEqual([definition]);
    await first[Symbol.asyncDispose]();
    await expect.poll(() => named(cluster)).toEqual([]);
    expect((await cluster.client.resource(ConfigMap).get(metadata)).metadata.name).toBe('kept');
  });

  it('reports the kubeconfig of an existing cluster, wherever it was found', async () => {
    await using cluster = await TestEnvironment.start({ env: {} });
    const home = join(folder, '.kube', 'config');
    mkdirSync(dirname(home));
    copyFileSync(cluster.kubeconfig ?? '', home);
    vi.stubEnv('HOME', folder);
    vi.stubEnv('USERPROFILE', folder);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', '');
    // The option takes precedence over the variables of this process.
    vi.stubEnv('KUBECONFIG', '/nowhere');
    const start = (KUBECONFIG?: string) => TestEnvironment.start({ env: { USE_EXISTING_CLUSTER: 'true', KUBECONFIG } });
    await using atHome = await start();
    expect(atHome.kubeconfig).toBe(home);
    const list = ['/missing', cluster.kubeconfig].join(delimiter);
    await using listed = await start(list);
    expect(listed.kubeconfig).toBe(list);
    await expect(start('/nowhere')).rejects.toThrow(/cannot read kubeconfig \/nowhere .*KUBECONFIG.*: file not found/);
  });

  it.each([
    [
      { KUBEBUILDER_ASSETS: '/nowhere' },
      /cannot start the control plane for the tests: .*\/nowhere\/etcd.*; set KUBEBUILDER_ASSETS to a folder/,
    ],
    [{ TEST_ASSET_ETCD: process.execPath }, /TEST_ASSET_KUBE_APISERVER is not set/],
    [
      {
        TEST_ASSET_ETCD: process.execPath,
        TEST_ASSET_KUBE_APISERVER: process.execPath,
        KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '20',
      },
      /invalid value "20" for KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: must be a duration/,
    ],
    // Node rejects etcd's flags.
    [
      { TEST_ASSET_ETCD: process.execPath, TEST_ASSET_KUBE_APISERVER: process.execPath },
      /cannot start the control plane for the tests: (etcd|kube-apiserver) [\s\S]*bad option/,
    ],
  ])('reports what is wrong with %j', async (env, message) => {
    await expect(TestEnvironment.start({ env })).rejects.toMatchObject({
      code: 'KW5503',
      message: expect.stringMatching(message),
    });
  });

  it('times out on programs that never answer, and stops them', async () => {
    const program = join(folder, 'silent');
    writeFileSync(program, `#!${process.execPath}\nsetInterval(() => {}, 1000);\n`, { mode: 0o755 });
    const env = {
      TEST_ASSET_ETCD: program,
      TEST_ASSET_KUBE_APISERVER: program,
      KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '300ms',
      KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: '5s',
    };
    await expect(TestEnvironment.start({ env })).rejects.toThrow('the API server was not ready after 0.3 s');
  });
});
