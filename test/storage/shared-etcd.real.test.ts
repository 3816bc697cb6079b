import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { ConfigMap, Namespace, Secret, Service } from '@kubewright/apimachinery/core/v1';
import { ClusterRole } from '@kubewright/apimachinery/rbac/v1';
import { PriorityClass } from '@kubewright/apimachinery/scheduling/v1';
import { EmbeddedCluster } from '@kubewright/controlplane';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EtcdServer } from '../../packages/apiserver/src/testdata/etcd-server.ts';

const bin = process.env['BIN'] ?? join(homedir(), '.cache/kubewright-oracle/bin');
const port = 26_743;
const namespace = 'default';

function get(path: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { authorization: 'Bearer admintoken' };
  return new Promise((resolve, reject) => {
    const sent = request({ port, path, headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject).end();
  });
}

describe('kube-apiserver on the etcd of an embedded cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-shared-'));
  let etcd: EtcdServer;
  let cluster: EmbeddedCluster;
  let stop: () => void;
  beforeAll(async () => {
    etcd = await EtcdServer.start();
    cluster = await EmbeddedCluster.start({ etcdServers: [etcd.url], components: ['apiserver'] });
    const client = cluster.client();
    await client.resource(ConfigMap).create(ConfigMap({ metadata: { name: 'a', namespace }, data: { key: 'välue' } }));
    await client.resource(Secret).create(Secret({ metadata: { name: 'a', namespace }, stringData: { p: 'x' } }));
    await client
      .resource(Service)
      .create(Service({ metadata: { name: 'a', namespace }, spec: { ports: [{ port: 80 }] } }));
    const labels = { app: 'a' };
    const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { selector: { matchLabels: labels }, template };
    await client.resource(Deployment).create(Deployment({ metadata: { name: 'a', namespace }, spec }));
    execFileSync('openssl', ['genrsa', '-out', join(folder, 'sa.key'), '2048'], { stdio: 'ignore' });
    writeFileSync(join(folder, 'tokens.csv'), 'admintoken,admin,admin,"system:masters"\n');
    const key = join(folder, 'sa.key');
    const flags = [
      ...[`--etcd-servers=${etcd.url}`, `--secure-port=${port}`, '--bind-address=127.0.0.1', `--cert-dir=${folder}`],
      ...['--advertise-address=10.99.0.1', '--service-cluster-ip-range=10.96.0.0/16', '--authorization-mode=RBAC'],
      ...['--service-account-issuer=https://kubernetes.default.svc.cluster.local', `--service-account-key-file=${key}`],
      ...[`--service-account-signing-key-file=${key}`, '--endpoint-reconciler-type=none'],
      `--token-auth-file=${join(folder, 'tokens.csv')}`,
    ];
    const child = spawn(join(bin, 'kube-apiserver'), flags, { stdio: 'ignore' });
    stop = () => child.kill('SIGKILL');
    const status = () =>
      get('/readyz').then(
        (answer) => answer.status,
        () => 0,
      );
    while ((await status()) !== 200) await new Promise((resolve) => setTimeout(resolve, 100));
  }, 120_000);
  afterAll(async () => {
    stop?.();
    await cluster?.stop();
    await etcd?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['/api/v1/namespaces', Namespace],
    ['/api/v1/configmaps', ConfigMap],
    ['/api/v1/secrets', Secret],
    ['/api/v1/services', Service],
    ['/apis/apps/v1/deployments', Deployment],
    ['/apis/rbac.authorization.k8s.io/v1/clusterroles', ClusterRole],
    ['/apis/scheduling.k8s.io/v1/priorityclasses', PriorityClass],
  ] as const)('sees the same objects in %s', { timeout: 30_000 }, async (path, kind) => {
    const bare = ({ kind: _kind, apiVersion: _version, ...rest }: Record<string, unknown>) => rest;
    const { items } = await cluster
      .client()
      .resource(kind as typeof ConfigMap)
      .list();
    const theirs = JSON.parse((await get(path)).text).items as readonly Record<string, unknown>[];
    const ours = JSON.parse(JSON.stringify(items)) as readonly Record<string, unknown>[];
    expect(ours.length).toBeGreaterThan(0);
    expect(theirs.map(bare)).toEqual(ours.map(bare));
  });
});
