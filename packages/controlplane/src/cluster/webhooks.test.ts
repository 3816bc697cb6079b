import * as crypto from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  isForbidden,
  issueCertificate,
  type KubernetesObject,
  systemClock,
  systemRandom,
} from '@kubewright/apimachinery';
import {
  converter,
  defaulter,
  defineKind,
  silentLogger,
  spoke,
  standaloneWebhooks,
  validator,
  webhookConfigurations,
} from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedCluster } from './embedded-cluster.ts';

const group = 'hooks.example.com';
const Site = defineKind<{ readonly host?: string; readonly port: number }>({ group, version: 'v2', kind: 'Site' });
const OldSite = defineKind<{ readonly address: string }>({ group, version: 'v1', kind: 'Site' });
const type = { apiVersion: `${group}/v2`, kind: 'Site' } as const;
const oldType = { apiVersion: `${group}/v1`, kind: 'Site' } as const;
const hooks = [
  defaulter(Site, (site) => ({ ...site, spec: { ...site.spec, host: site.spec.host ?? 'localhost' } })),
  validator(Site, {
    create: (site, { warn }) => {
      warn('sites are watched');
      return site.spec.port === 13 ? 'no port 13 here' : undefined;
    },
    delete: (site) => (site.metadata.labels?.['keep'] === 'yes' ? 'it must be kept' : undefined),
  }),
  converter(Site, [
    spoke(OldSite, {
      toHub: (old) => {
        const [host = '', port = '0'] = old.spec.address.split(':');
        return { spec: { host, port: Number(port) } };
      },
      fromHub: (site) => ({ spec: { address: `${site.spec.host}:${site.spec.port}` } }),
    }),
  ]),
];

/** Runs an operator's webhooks in this process, behind a service of the cluster. */
describe('webhooks of an operator behind a service', () => {
  let directory: string;
  let cluster: EmbeddedCluster;
  let server: Server;
  const put = (path: string, object: object) => cluster.client().request({ method: 'POST', path, body: object });

  beforeAll(async () => {
    const now = systemClock.now();
    const life = { notBeforeMs: now - 60_000, notAfterMs: now + 3_600_000 };
    const subject = { commonName: 'hooks-ca' };
    const authority = issueCertificate({ subject, usage: 'authority', ...life }, crypto);
    const issuer = { key: authority.key, subject };
    const own = { subject: { commonName: 'hooks' }, usage: 'server', hosts: ['hooks.default.svc'], issuer } as const;
    const { key, certificate: cert } = issueCertificate({ ...own, ...life }, crypto);
    server = createServer({ key, cert }, standaloneWebhooks(hooks)).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    directory = mkdtempSync(join(tmpdir(), 'kw-webhooks-'));
    cluster = await EmbeddedCluster.start({ directory, clock: systemClock, random: systemRandom, log: silentLogger });
    await publish((server.address() as AddressInfo).port);
    await declare(authority.certificate);
  });
  afterAll(async () => {
    await cluster.stop();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true, force: true });
  });

  async function publish(port: number): Promise<void> {
    await put('/api/v1/namespaces/default/services', { metadata: { name: 'hooks' }, spec: { ports: [{ port: 443 }] } });
    await put('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'hooks', labels: { 'kubernetes.io/service-name': 'hooks' } },
      addressType: 'IPv4',
      ports: [{ name: '', port }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    });
  }

  async function declare(ca: string): Promise<void> {
    const service = { namespace: 'default', name: 'hooks' };
    const clientConfig = { service: { ...service, path: '/convert' }, caBundle: Buffer.from(ca).toString('base64') };
    const version = (name: string, properties: object) => ({
      name,
      served: true,
      storage: name === 'v2',
      schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
    });
    await put('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `sites.${group}` },
      spec: {
        group,
        scope: 'Namespaced',
        names: { plural: 'sites', kind: 'Site' },
        versions: [
          version('v1', { address: { type: 'string' } }),
          version('v2', { host: { type: 'string' }, port: { type: 'integer' } }),
        ],
        conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
      },
    });
    for (const configuration of webhookConfigurations(hooks, { service, ca })) {
      const plural = configuration.kind.toLowerCase();
      await put(`/apis/admissionregistration.k8s.io/v1/${plural}s`, configuration);
    }
  }

  const sites = () => cluster.client().resource(Site);
  const metadata = (name: string, more: Partial<KubernetesObject['metadata']> = {}) => ({
    namespace: 'default',
    name,
    ...more,
  });

  it('applies defaults to written objects', async () => {
    const made = await sites().create({ ...type, metadata: metadata('plain'), spec: { port: 80 } });
    expect(made.spec).toEqual({ host: 'localhost', port: 80 });
  });

  it("rejects an object with the validator's message", async () => {
    const refused = sites().create({ ...type, metadata: metadata('unlucky'), spec: { port: 13 } });
    await expect(refused).rejects.toSatisfy(isForbidden);
    await expect(refused).rejects.toThrow(/admission webhook ".*" denied the request: no port 13 here/);
  });

  it('validates a deletion with the object to be deleted', async () => {
    await sites().create({ ...type, metadata: metadata('kept', { labels: { keep: 'yes' } }), spec: { port: 1 } });
    await expect(sites().delete({ namespace: 'default', name: 'kept' })).rejects.toThrow('it must be kept');
    await sites().delete({ namespace: 'default', name: 'plain' });
  });

  it('runs the webhooks of the new version for an old version, and reads the object in both', async () => {
    const old = cluster.client().resource(OldSite);
    const made = await old.create({ ...oldType, metadata: metadata('old'), spec: { address: 'example.com:8080' } });
    expect(made).toMatchObject({ apiVersion: `${group}/v1`, spec: { address: 'example.com:8080' } });
    expect((await sites().get({ namespace: 'default', name: 'old' })).spec).toEqual({
      host: 'example.com',
      port: 8080,
    });
    const { items } = await old.list({ namespace: 'default' });
    expect(items.map(({ spec }) => spec.address).sort()).toEqual(['example.com:8080', 'localhost:1']);
    await expect(old.create({ ...oldType, metadata: metadata('bad'), spec: { address: 'x:13' } })).rejects.toThrow(
      'no port 13 here',
    );
  });

  it('streams changes in the watched version', async () => {
    const abort = new AbortController();
    const old = cluster.client().resource(OldSite);
    const { metadata: listed } = await old.list({ namespace: 'default' });
    const events = old.watch({
      namespace: 'default',
      resourceVersion: listed.resourceVersion ?? '',
      signal: abort.signal,
    });
    const iterator = events[Symbol.asyncIterator]();
    const next = iterator.next();
    await sites().create({ ...type, metadata: metadata('watched'), spec: { host: 'w', port: 5 } });
    const { value } = await next;
    expect(value).toMatchObject({ type: 'ADDED', object: { apiVersion: `${group}/v1`, spec: { address: 'w:5' } } });
    abort.abort();
    await iterator.return?.();
  });
});
