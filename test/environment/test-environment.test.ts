import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, describe, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'kw-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

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
      /invalid value "20" of KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: must be a duration/,
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
