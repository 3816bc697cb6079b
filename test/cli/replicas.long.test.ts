import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { systemClock, type UnstructuredObject } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Namespace, Pod, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { ClusterRole, ClusterRoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { clientFromConfig, type KubernetesClient, loadClientConfig } from '@kubewright/client';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { build } from '../main-job/repository.ts';
import { type CliProject, cliProject } from './cli-project.ts';
import { CommandLine } from './command-line.ts';
import { restrictedViolations } from './restricted.ts';

vi.setConfig({ testTimeout: 180_000 });

const namespace = 'pair-system';
let kubewright: CommandLine;
let pair: CliProject;
let client: KubernetesClient;
beforeAll(async () => {
  await build();
  kubewright = await CommandLine.build();
  pair = await cliProject(kubewright, 'pair');
  await pair.run('generate');
  // Without the header, the file belongs to the user.
  pair.edit('config/manager/manager.yaml', (text) => text.replace(/^#.*\n/, '').replace('replicas: 1', 'replicas: 2'));
  expect(await pair.run('build', '--load', 'pair:dev')).toMatchObject({ code: 0, stderr: '' });
  expect(await pair.run('cluster', 'up', '--background')).toMatchObject({ code: 0 });
  const kubeconfig = join(pair.root, '.kubewright/kubeconfig');
  const config = await loadClientConfig({ kubeconfig });
  client = clientFromConfig(config, { clock: systemClock });
}, 180_000);
afterAll(async () => {
  await client?.[Symbol.asyncDispose]();
  await pair?.run('cluster', 'down');
  kubewright?.[Symbol.dispose]();
}, 60_000);

const deploy = async () => {
  const { code, stderr } = await pair.run('deploy', '--image', 'pair:dev', '--timeout', '120');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
};

async function namespaces() {
  return (await client.resource(Namespace).list()).items.map(({ metadata }) => metadata.name);
}

async function pods() {
  const { items } = await client.resource(Pod).list({ namespace });
  return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

/** Returns the pods whose metrics report that they lead. */
async function leaders(token: string): Promise<readonly string[]> {
  const asked = await Promise.all(
    (await pods()).map(async ({ metadata, status }) => {
      const { text } = await metricsOf(status?.podIP ?? '', token).catch(() => ({ text: '' }));
      return /^leader_election_master_status\{[^}]*\} 1$/m.test(text) ? [metadata.name] : [];
    }),
  );
  return asked.flat();
}

function metricsOf(host: string, token?: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const options = { host, port: 8443, path: '/metrics', headers, rejectUnauthorized: false, timeout: 5_000 };
    const asked = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', reject).end();
  });
}

/** Returns a token for an account that may read metrics as the role allows, or for one without permissions. */
async function tokenOf(name: string, { mayRead }: { readonly mayRead: boolean }): Promise<string> {
  const accounts = client.resource(ServiceAccount);
  await accounts.apply({ metadata: { name, namespace: 'default' } }, { fieldManager: 'test' });
  if (mayRead) {
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'pair-metrics-reader' };
    const subjects = [{ kind: 'ServiceAccount', name, namespace: 'default' }];
    await client
      .resource(ClusterRoleBinding)
      .apply({ metadata: { name }, roleRef, subjects }, { fieldManager: 'test' });
  }
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const { status } = await accounts
    .subresource('token')
    .create<{ readonly status: { readonly token: string } }>({ name, namespace: 'default' }, body);
  return status.token;
}

const poll = <T>(ask: () => T) => expect.poll(ask, { timeout: 90_000, interval: 300 });

describe('an operator with two replicas', () => {
  it('needs nothing beyond the restricted level of pod security', () => {
    const objects = parseAllDocuments(readFileSync(join(pair.root, 'dist/install.yaml'), 'utf8')).map(
      (document) => document.toJS() as UnstructuredObject,
    );
    const [own] = objects.filter(({ kind }) => kind === 'Namespace');
    expect(own?.metadata?.labels).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
    const { template } = (deployment?.['spec'] ?? {}) as {
      readonly template: { readonly spec: Parameters<typeof restrictedViolations>[0] };
    };
    expect(restrictedViolations(template.spec)).toEqual([]);
    const [container] = template.spec.containers;
    expect(container?.securityContext?.['readOnlyRootFilesystem']).toBe(true);
    // The rest of the limit is for memory outside the heap.
    const { resources, env = [] } = container as {
      readonly resources?: { readonly limits?: { readonly memory?: string } };
      readonly env?: readonly { readonly name: string; readonly value?: string }[];
    };
    const [, heap = ''] =
      /--max-old-space-size=(\d+)/.exec(env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '') ?? [];
    expect(Number(heap)).toBeCloseTo(0.7 * Number.parseInt(resources?.limits?.memory ?? '', 10), -1);
    // Proves that the rules detect violations.
    expect(restrictedViolations({ ...template.spec, hostPID: true, securityContext: {} }).length).toBe(3);
  });

  it('has one leader, and the other replica takes over when it dies', async () => {
    await deploy();
    expect((await pods()).map(({ status }) => status?.phase)).toEqual(['Running', 'Running']);
    const token = await tokenOf('reader', { mayRead: true });
    await poll(() => leaders(token)).toHaveLength(1);
    const [first = ''] = await leaders(token);
    const [lease] = (await client.resource(Lease).list({ namespace })).items;
    const holder = lease?.spec?.holderIdentity;
    // Killed without a graceful stop: the lease is not released and has to expire.
    await client.resource(Pod).delete({ name: first, namespace }, { gracePeriodSeconds: 0 });
    await poll(async () => (await leaders(token)).filter((name) => name !== first)).toHaveLength(1);
    const [next] = (await client.resource(Lease).list({ namespace })).items;
    expect(next?.spec?.holderIdentity).not.toBe(holder);
    await poll(async () => {
      const { status } = await client.resource(Deployment).get({ name: 'pair-controller-manager', namespace });
      return status?.availableReplicas;
    }).toBe(2);
  });

  it('serves metrics to authorized accounts', async () => {
    const [pod] = await pods();
    const host = pod?.status?.podIP ?? '';
    const { status, text } = await metricsOf(host, await tokenOf('reader', { mayRead: true }));
    expect(status).toBe(200);
    expect(text).toContain('# TYPE controller_runtime_reconcile_total counter');
    expect((await metricsOf(host, await tokenOf('nobody', { mayRead: false }))).status).toBe(403);
    expect((await metricsOf(host)).status).toBe(401);
  });

  it.each([['undeploy', 'uninstall'] as const, ['uninstall', 'undeploy'] as const])(
    'leaves nothing behind after %s, then %s',
    async (first, second) => {
      await deploy();
      const sample = readFileSync(join(pair.root, 'config/samples/pair_v1_pair.yaml'), 'utf8');
      const object = parseAllDocuments(sample)[0]?.toJS() as UnstructuredObject;
      client.discovery.invalidate();
      const kind = (await client.discovery.mapper()).forKind({
        group: 'pair.example.com',
        version: 'v1',
        kind: 'Pair',
      });
      if (!kind) throw new Error('the kind is not served');
      const name = object.metadata?.name ?? '';
      await client
        .resource(kind)
        .apply({ ...object, metadata: { ...object.metadata, name } }, { fieldManager: 'test' });
      await poll(async () => JSON.stringify((await client.resource(kind).list()).items)).toContain('"Ready"');
      expect(await pair.run(first)).toMatchObject({ code: 0, stderr: '' });
      expect(await pair.run(second)).toMatchObject({ code: 0, stderr: '' });
      await poll(async () => namespaces()).not.toContain(namespace);
      const roles = (await client.resource(ClusterRole).list()).items;
      const bindings = (await client.resource(ClusterRoleBinding).list()).items;
      const names = [...roles, ...bindings].map(({ metadata: { name: left } }) => left);
      expect(names.filter((left) => left.startsWith('pair-'))).toEqual([]);
      client.discovery.invalidate();
      const gone = (await client.discovery.mapper()).forKind({
        group: 'pair.example.com',
        version: 'v1',
        kind: 'Pair',
      });
      expect(gone).toBeUndefined();
    },
  );
});
