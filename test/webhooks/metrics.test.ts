import { request } from 'node:https';
import type { TokenRequest } from '@kubewright/apimachinery/authentication/v1';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OperatedCluster } from './operated-cluster.ts';

/** What kubebuilder's `metrics_reader` role says. */
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
      // The certificate signs itself, as upstream's default does: it encrypts only.
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

  it('are for those whom RBAC lets: 401, 403 and 200', async () => {
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
