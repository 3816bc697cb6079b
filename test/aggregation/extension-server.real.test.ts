import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiServer, type ExtensionServer } from '@kubewright/apiserver';
import { HttpTransport, KubernetesClient } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { EtcdServer } from '../../packages/apiserver/src/testdata/etcd-server.ts';
import { Well, wellDefinition } from '../../packages/apiserver/src/testdata/wells.ts';
import { askDirectly } from './extension-cluster.ts';

const bin = process.env['BIN'] ?? join(homedir(), '.cache/kubewright-oracle/bin');
const port = 26_843;
const trustPath = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const discoveryRole = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:discovery';
const wells = '/apis/wells.example.com/v1/namespaces/default/wells';

describe('an extension API server of the library, behind a real kube-apiserver', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-extension-real-'));
  const file = (name: string): string => join(folder, name);
  let etcd: EtcdServer;
  let client: KubernetesClient;
  let server: ExtensionServer;
  let stop: () => void;

  function openssl(args: string): void {
    execFileSync('openssl', args.split(' '), { stdio: 'ignore', cwd: folder });
  }

  beforeAll(async () => {
    etcd = await EtcdServer.start();
    openssl('genrsa -out sa.key 2048');
    openssl('req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt -subj /CN=front-proxy-ca -days 1');
    openssl('req -newkey rsa:2048 -nodes -keyout proxy.key -out proxy.csr -subj /CN=front-proxy');
    openssl('x509 -req -in proxy.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out proxy.crt -days 1');
    writeFileSync(file('tokens.csv'), 'admintoken,admin,admin,"system:masters"\njanetoken,jane,jane\n');
    const flags = [
      ...[`--etcd-servers=${etcd.url}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${folder}`],
      ...['--advertise-address=10.99.0.1', '--service-cluster-ip-range=10.96.0.0/16', '--authorization-mode=RBAC'],
      ...['--service-account-issuer=https://kubernetes.default.svc.cluster.local', '--endpoint-reconciler-type=none'],
      ...[`--service-account-key-file=${file('sa.key')}`, `--service-account-signing-key-file=${file('sa.key')}`],
      ...[`--token-auth-file=${file('tokens.csv')}`, `--requestheader-client-ca-file=${file('ca.crt')}`],
      ...['--requestheader-allowed-names=front-proxy', '--requestheader-username-headers=X-Remote-User'],
      ...['--requestheader-group-headers=X-Remote-Group', '--requestheader-extra-headers-prefix=X-Remote-Extra-'],
      ...[`--proxy-client-cert-file=${file('proxy.crt')}`, `--proxy-client-key-file=${file('proxy.key')}`],
    ];
    const child = spawn(join(bin, 'kube-apiserver'), flags, { stdio: 'ignore' });
    stop = () => child.kill('SIGKILL');
    const trust = { insecureSkipVerify: true };
    const headers = { authorization: 'Bearer admintoken' };
    client = new KubernetesClient({
      transport: new HttpTransport({ server: `https://127.0.0.1:${port}`, trust, headers }),
    });
    await vi.waitFor(() => client.request({ path: trustPath }), { timeout: 90_000, interval: 200 });
    // Wait for the role: without it, the aggregator cannot read the document and only retries after a minute.
    await vi.waitFor(() => client.request({ path: discoveryRole }), { timeout: 90_000, interval: 200 });
    const [v1] = wellDefinition.versions;
    server = apiServer({
      kinds: [Well],
      definitions: { kinds: [{ ...wellDefinition, versions: [v1] }] },
      cluster: client,
      hostnames: ['wells.default.svc'],
    });
    await server.start();
    await register();
  }, 180_000);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await client?.[Symbol.asyncDispose]();
    stop?.();
    await etcd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /**
   * Registers the server. There is no Service network, so an ExternalName Service directs kube-apiserver to this machine.
   */
  async function register(): Promise<void> {
    const own = Number(new URL(server.url).port);
    const put = (path: string, body: object) => client.request({ method: 'POST', path, body });
    await put('/api/v1/namespaces/default/services', {
      metadata: { name: 'wells' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    });
    const service = { namespace: 'default', name: 'wells', port: own };
    const caBundle = Buffer.from(server.authority ?? '').toString('base64');
    const priority = { groupPriorityMinimum: 2000, versionPriority: 10 };
    await put('/apis/apiregistration.k8s.io/v1/apiservices', {
      metadata: { name: 'v1.wells.example.com' },
      spec: { group: 'wells.example.com', version: 'v1', service, caBundle, ...priority },
    });
    await vi.waitFor(() => client.request({ path: wells }), { timeout: 60_000, interval: 200 });
  }

  it('serves objects, and documents its kinds', async () => {
    const body = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name: 'a' }, spec: { depth: 3 } };
    expect(await client.request({ method: 'POST', path: wells, body })).toMatchObject({
      spec: { depth: 3, pump: 'bucket' },
    });
    const wrong = { ...body, metadata: { name: 'b' }, spec: { depth: 0 } };
    await expect(client.request({ method: 'POST', path: wells, body: wrong })).rejects.toThrow('spec.depth');
    for (const path of ['/openapi/v3/apis/wells.example.com/v1', '/openapi/v2']) {
      const document = () => client.request({ path }).then(JSON.stringify, String);
      const isDocumented = async () => (await document()).includes('How deep the well is, in metres.');
      await expect.poll(isDocumented, { timeout: 80_000, interval: 500 }).toBe(true);
    }
  }, 180_000);

  it("enforces the cluster's roles, even for direct requests", async () => {
    const jane = { headers: { authorization: 'Bearer janetoken' } };
    expect((await askDirectly(server, wells, jane)).status).toBe(403);
    expect((await askDirectly(server, wells, { headers: { authorization: 'Bearer admintoken' } })).status).toBe(200);
    expect((await askDirectly(server, wells, { headers: { authorization: 'Bearer other' } })).status).toBe(401);
    const forged = { headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' } };
    expect((await askDirectly(server, wells, forged)).status).toBe(403);
  });
});
