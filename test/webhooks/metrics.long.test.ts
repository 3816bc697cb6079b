import * as crypto from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '@kubewright/apimachinery';
import type { TokenRequest } from '@kubewright/apimachinery/authentication/v1';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { managerFlags } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperatedCluster } from './operated-cluster.ts';

/** The rule in kubebuilder's `metrics_reader` role. */
const reader = { nonResourceURLs: ['/metrics'], verbs: ['get'] };

describe('guarded metrics', () => {
  let cluster: OperatedCluster;
  let url: string;
  beforeAll(async () => {
    cluster = await OperatedCluster.start();
    const manager = await cluster.operate({ metricsBindAddress: '127.0.0.1:0', metricsSecurity: {} });
    url = `https://127.0.0.1:${manager.ports.metrics}/metrics`;
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function tokenOf(name: string): Promise<string> {
    const accounts = cluster.client.resource(ServiceAccount);
    const key = { namespace: 'default', name };
    await accounts.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: key });
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
    const { status } = await accounts.subresource('token').create<TokenRequest>(key, body);
    return status?.token ?? '';
  }

  function scrape(token?: string): Promise<{ readonly status: number | undefined; readonly body: string }> {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return new Promise((resolve, reject) => {
      // Does not verify the certificate: it is self-signed, like upstream's default certificate.
      const call = request(url, { headers, rejectUnauthorized: false }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => {
          body += chunk.toString('utf8');
        });
        response.on('end', () => resolve({ status: response.statusCode, body }));
      });
      call.on('error', reject);
      call.end();
    });
  }

  it('require RBAC permission: 401, 403 and 200', async () => {
    const [nobody, prometheus] = await Promise.all([tokenOf('nobody'), tokenOf('prometheus')]);
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const metadata = { name: 'metrics-reader' };
    await cluster.client.resource(ClusterRole).create({ apiVersion, kind: 'ClusterRole', metadata, rules: [reader] });
    await cluster.client.resource(ClusterRoleBinding).create({
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'metrics-reader' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'prometheus' }],
    });
    expect(await scrape()).toEqual({ status: 401, body: 'Unauthorized\n' });
    expect((await scrape('made-up')).status).toBe(401);
    expect(await scrape(nobody)).toEqual({
      status: 403,
      body: 'Authorization denied for user system:serviceaccount:default:nobody\n',
    });
    const { status, body } = await scrape(prometheus);
    expect(status).toBe(200);
    expect(body).toContain('rest_client_requests_total{');
    const log = cluster.log.join('');
    for (const token of [nobody, prometheus]) expect(log).not.toContain(token);
  });
});

describe('metrics with the certificate of cert-manager', () => {
  // The files of cert-manager's Secret as the kubelet mounts them, with the host name in config/certmanager.
  const host = 'shop-controller-manager-metrics-service.shop-system.svc';
  const folder = mkdtempSync(join(tmpdir(), 'kw-metrics-'));
  let cluster: OperatedCluster;
  let port: number | undefined;
  const first = issued();
  beforeAll(async () => {
    mount(first, '1');
    cluster = await OperatedCluster.start();
    const flags = managerFlags(['--metrics-bind-address=127.0.0.1:0', `--metrics-cert-path=${folder}`]);
    const { metricsBindAddress = '0', metricsSecurity = {} } = flags;
    const manager = await cluster.operate({ metricsBindAddress, metricsSecurity });
    port = manager.ports.metrics;
  });
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Returns a self-signed certificate, like a certificate of the issuer `selfsigned-issuer`. */
  function issued(): KeyPair {
    const life = { notBeforeMs: Date.now() - 3_600_000, notAfterMs: Date.now() + 3_600_000 };
    return issueCertificate({ subject: { commonName: host }, usage: 'server', hosts: [host], ...life }, crypto);
  }

  /** Replaces all files atomically with a symlink, like the kubelet. */
  function mount({ certificate, key }: KeyPair, name: string): void {
    const versions = join(folder, `..${name}`);
    mkdirSync(versions);
    writeFileSync(join(versions, 'tls.crt'), certificate);
    writeFileSync(join(versions, 'tls.key'), key);
    symlinkSync(`..${name}`, join(folder, '..new'));
    renameSync(join(folder, '..new'), join(folder, '..data'));
    for (const file of ['tls.crt', 'tls.key'])
      if (!existsSync(join(folder, file))) symlinkSync(join('..data', file), join(folder, file));
  }

  /** Scrapes with the monitor's `tlsConfig`, like Prometheus; returns the HTTP status or the TLS error code. */
  function scrapedWith({ certificate }: KeyPair): Promise<string> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port, path: '/metrics', ca: certificate, servername: host, agent: false };
      const call = request(options, (response) => {
        response.resume();
        response.on('end', () => resolve(String(response.statusCode)));
      });
      call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
      call.end();
    });
  }

  it('are verified by its CA, and by the next one after a rotation, without a restart', async () => {
    const second = issued();
    // 401: the certificate is trusted, and the server requires authentication.
    expect([await scrapedWith(first), await scrapedWith(second)]).toEqual(['401', 'DEPTH_ZERO_SELF_SIGNED_CERT']);
    mount(second, '2');
    await expect.poll(() => scrapedWith(second), { timeout: 30_000 }).toBe('401');
    expect(await scrapedWith(first)).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  }, 60_000);
});
