import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiServer, computed, type ExtensionServer } from '@kubewright/apiserver';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { reportDefinition, Well, WellReport, wellDefinition } from '../../packages/apiserver/src/testdata/wells.ts';
import { type Environment, startEnvironment } from '../environment/environment.ts';
import { askDirectly, register } from './extension-cluster.ts';
import { FreshKubectl } from './kubectl.ts';

vi.setConfig({ testTimeout: 60_000 });

const openApiWait = { timeout: 60_000, interval: 200 };
const wells = '/apis/wells.example.com/v1/namespaces/default/wells';
const manifest = (name: string, depth: number): string =>
  JSON.stringify({ apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name }, spec: { depth } });

describe('an extension API server of the library, behind a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-extension-'));
  let environment: Environment;
  let server: ExtensionServer;
  let kubectl: FreshKubectl;
  const errors: unknown[] = [];

  beforeAll(async () => {
    environment = await startEnvironment(folder);
    const report = { metadata: { name: 'deep', namespace: 'default' }, depth: 9 } as never;
    server = apiServer({
      kinds: [Well, computed(WellReport, { list: () => [report], get: () => report })],
      definitions: { kinds: [{ ...wellDefinition, versions: wellDefinition.versions.slice(0, 1) }, reportDefinition] },
      cluster: environment.client,
      hostnames: ['wells.default.svc'],
      onError: (error) => errors.push(error),
    });
    await server.start();
    await register(environment.client, server, ['wells.example.com', 'reports.wells.example.com']);
    kubectl = new FreshKubectl({ folder, kubeconfig: environment.kubeconfig });
    for (const name of ['v1.wells.example.com', 'v1.reports.wells.example.com'])
      await kubectl.run(`wait --for=condition=Available apiservice/${name} --timeout=60s`);
    // Returns the API server's list of OpenAPI documents. An extension server's documents appear some time after the
    // extension server becomes available.
    const documents = async (): Promise<string> => (await kubectl.run('get --raw /openapi/v3')).stdout;
    for (const group of ['wells.example.com', 'reports.wells.example.com'])
      await vi.waitFor(async () => expect(await documents()).toContain(`"apis/${group}/v1"`), openApiWait);
  }, 120_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await environment?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('serves kubectl: create, get, apply, patch, scale, delete', async () => {
    expect(await kubectl.run('create -f -', manifest('a', 3))).toMatchObject({
      stdout: 'well.wells.example.com/a created\n',
      stderr: '',
    });
    expect((await kubectl.run('get wells')).stdout).toBe('NAME   DEPTH\na      3\n');
    const applied = await kubectl.run('apply --server-side --force-conflicts -f -', manifest('a', 4));
    expect(applied.stdout).toBe('well.wells.example.com/a serverside-applied\n');
    expect((await kubectl.run(`patch we a --type=merge -p '{"spec":{"pump":"hand"}}'`)).stdout).toContain('patched');
    expect((await kubectl.run('scale well a --replicas=2')).stdout).toBe('well.wells.example.com/a scaled\n');
    const columns = 'jsonpath={.spec.depth},{.spec.pump},{.spec.buckets}';
    expect((await kubectl.run(`get well a -o '${columns}'`)).stdout).toBe('4,hand,2');
    const invalid = await kubectl.run('create -f -', manifest('b', 0));
    expect(invalid.stderr).toContain(
      'spec.depth: Invalid value: 0: spec.depth in body should be greater than or equal to 1',
    );
    expect((await kubectl.run('delete well a')).stdout).toMatch(/^well.wells.example.com "a" deleted/);
    expect((await kubectl.run('get wellreports')).stdout).toBe('NAME   DEPTH\ndeep   9\n');
  });

  it('rejects objects in namespaces that do not exist', async () => {
    const { stderr } = await kubectl.run('create -n nowhere -f -', manifest('a', 3));
    expect(stderr).toContain('namespaces "nowhere" not found');
  });

  it('explains its kinds, and lists them in discovery', async () => {
    await expect
      .poll(async () => (await kubectl.run('explain well.spec.depth')).stdout, { timeout: 60_000 })
      .toContain('How deep the well is, in metres.');
    const { stdout } = await kubectl.run('api-resources --api-group=wells.example.com --no-headers');
    expect(stdout).toMatch(/^wells +we +wells.example.com\/v1 +true +Well\n$/);
  });

  it("enforces the cluster's roles", async () => {
    const refused = await kubectl.run('get wells --as=jane');
    expect(refused.stderr).toContain('User "jane" cannot list resource "wells" in API group "wells.example.com"');
    await kubectl.run('create role well-viewer --verb=get,list --resource=wells.wells.example.com');
    await kubectl.run('create rolebinding mary --role=well-viewer --user=mary');
    expect((await kubectl.run('get wells --as=mary')).stderr).toBe('No resources found in default namespace.\n');
  });

  it('authenticates and authorizes direct requests', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    const tokenOf = async (name: string): Promise<Record<string, string>> => {
      await environment.client.request({ method: 'POST', path: account, body: { metadata: { name } } });
      const path = `${account}/${name}/token`;
      const { status } = (await environment.client.request({ method: 'POST', path, body: { spec: {} } })) as {
        readonly status: { readonly token: string };
      };
      return { authorization: `Bearer ${status.token}` };
    };
    await kubectl.run('create role lister --verb=list --resource=wells.wells.example.com');
    await kubectl.run('create rolebinding lister --role=lister --serviceaccount=default:lister');
    expect((await askDirectly(server, wells, { headers: await tokenOf('lister') })).status).toBe(200);
    const unbound = await askDirectly(server, wells, { headers: await tokenOf('unbound') });
    expect(JSON.parse(unbound.text)).toMatchObject({
      code: 403,
      message:
        'wells.wells.example.com is forbidden: User "system:serviceaccount:default:unbound" cannot list resource "wells" in API group "wells.example.com" in the namespace "default"',
    });
    expect((await askDirectly(server, wells, { headers: { authorization: 'Bearer x' } })).status).toBe(401);
    expect((await askDirectly(server, '/readyz')).text).toBe('ok');
  });

  it('ignores identity headers that the API server did not send', async () => {
    const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
    const anonymous = JSON.parse((await askDirectly(server, wells, { headers })).text);
    expect(anonymous).toMatchObject({ code: 403 });
    expect(anonymous.message).toContain('User "system:anonymous" cannot list');
    const { users } = parse(readFileSync(environment.kubeconfig, 'utf8'));
    const { 'client-certificate-data': cert, 'client-key-data': key } = users[0].user;
    if (cert === undefined) return; // an existing cluster's administrator has a token instead
    const pem = (data: string): string => Buffer.from(data, 'base64').toString();
    const asked = { headers: { 'x-remote-user': 'jane' }, cert: pem(cert), key: pem(key) };
    expect((await askDirectly(server, wells, asked)).status).toBe(200);
  });

  it('reports no internal errors', () => {
    expect(errors).toEqual([]);
  });
});
