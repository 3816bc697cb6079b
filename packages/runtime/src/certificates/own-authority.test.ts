import { X509Certificate } from 'node:crypto';
import { VirtualClock } from '@kubewright/apimachinery';
import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { CustomResourceDefinition } from '@kubewright/apimachinery/apiextensions/v1';
import { Secret } from '@kubewright/apimachinery/core/v1';
import type { KeyPair } from '@kubewright/apimachinery/internal';
import { afterEach, describe, expect, it } from 'vitest';
import { jsonLogger } from '../log/json-logger.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { CertificateError } from './certificate-error.ts';
import { type OwnAuthorityOptions, ownAuthority } from './own-authority.ts';
import { SleepingClock } from './testdata/sleeping-clock.ts';
import { until } from './testdata/until.ts';

const dayMs = 86_400_000;
const secret = { namespace: 'shop-system', name: 'webhook-cert' };
const service = { namespace: 'shop-system', name: 'webhook-service' };

describe('ownAuthority', () => {
  let stops: AbortController[] = [];
  afterEach(() => {
    for (const each of stops) each.abort();
    stops = [];
  });

  function cluster() {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Secret, ValidatingWebhookConfiguration, CustomResourceDefinition], { clock });
    // Keepers wait on a separate clock, so all work is done once all keepers sleep.
    return { clock, server, keepers: new SleepingClock(clock) };
  }

  /** Waits until all pending work is done. */
  const settled = ({ keepers }: ReturnType<typeof cluster>): Promise<void> =>
    until(() => keepers.sleeping === stops.length, 'rest');

  function replica({ keepers, server }: ReturnType<typeof cluster>, more: Partial<OwnAuthorityOptions> = {}) {
    const own = new AbortController();
    stops.push(own);
    const published: KeyPair[] = [];
    const lines: Record<string, unknown>[] = [];
    const log = jsonLogger({ destination: { write: (line) => void lines.push(JSON.parse(line)) } });
    const publish = (pair: KeyPair): void => void published.push(pair);
    const options = { secret, ...(more.url === undefined && { service }), validating: ['v'], ...more };
    const parts = { clock: keepers, log, port: 9443, converts: ['sites.x'], client: server.client, publish };
    const running = ownAuthority(options).run(parts, own.signal);
    running.catch(() => {});
    return { published, lines, running };
  }

  /** Advances the clock in steps of half a minute and lets the keepers finish their work after each step. */
  async function pass(here: ReturnType<typeof cluster>, ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 30_000) {
      await here.clock.advance(Math.min(30_000, left));
      await settled(here);
    }
  }

  const bundleOf = (server: FakeApiServer): string =>
    Buffer.from(server.get(Secret, secret.name, secret.namespace).data['ca.crt'], 'base64').toString('utf8');
  const injected = (server: FakeApiServer): string => {
    const { caBundle = '' } = server.get(ValidatingWebhookConfiguration, 'v').webhooks[0].clientConfig;
    return Buffer.from(caBundle, 'base64').toString('utf8');
  };
  const configured = (server: FakeApiServer): void => {
    server.put(ValidatingWebhookConfiguration, {
      metadata: { name: 'v' },
      webhooks: [{ name: 'a', clientConfig: { service } }],
    });
    server.put(CustomResourceDefinition, { metadata: { name: 'sites.x' }, spec: {} });
  };

  it('creates and stores an authority and a certificate, and injects the bundle', async () => {
    const here = cluster();
    configured(here.server);
    const { published } = replica(here);
    await settled(here);
    const kept = here.server.get(Secret, secret.name, secret.namespace);
    expect(kept.type).toBe('kubernetes.io/tls');
    expect(Object.keys(kept.data).sort()).toEqual(['ca.crt', 'ca.key', 'tls.crt', 'tls.key']);
    expect(published).toHaveLength(1);
    const leaf = new X509Certificate(published[0]?.certificate ?? '');
    expect(leaf.checkHost('webhook-service.shop-system.svc')).toBeDefined();
    expect(leaf.verify(new X509Certificate(injected(here.server)).publicKey)).toBe(true);
    expect(here.server.get(CustomResourceDefinition, 'sites.x').spec.conversion.strategy).toBe('Webhook');
    const before = here.server.requests.filter((each) => !each.startsWith('GET')).length;
    await pass(here, 120_000);
    expect(here.server.requests.filter((each) => !each.startsWith('GET'))).toHaveLength(before);
  });

  it('shares one authority between all replicas', async () => {
    const here = cluster();
    configured(here.server);
    const replicas = [replica(here), replica(here), replica(here)];
    await settled(here);
    const served = new Set(replicas.map(({ published }) => published.at(-1)?.certificate));
    expect(served.size).toBe(1);
    expect(here.server.requests.filter((each) => each.startsWith('POST')).length).toBeGreaterThanOrEqual(1);
    expect(injected(here.server)).toBe(bundleOf(here.server));
  });

  it('rotates while both authorities are trusted, and always serves a trusted certificate', async () => {
    const here = cluster();
    configured(here.server);
    const replicas = [replica(here), replica(here)];
    await settled(here);
    const first = bundleOf(here.server);
    const believed = (): void => {
      const bundle = injected(here.server).match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? [];
      for (const { published } of replicas) {
        const leaf = new X509Certificate(published.at(-1)?.certificate ?? '');
        expect(bundle.some((pem) => leaf.verify(new X509Certificate(pem).publicKey))).toBe(true);
        expect(Date.parse(leaf.validTo)).toBeGreaterThan(here.clock.now());
      }
    };
    // Advance ten days at a time until the first authority has less than 120 days left.
    for (let day = 0; day < 245; day += 10) {
      here.clock.jumpWall(10 * dayMs);
      await pass(here, 30_000);
      believed();
    }
    const sizes = new Set<number>();
    for (let minute = 0; minute < 30; minute++) {
      await pass(here, 60_000);
      believed();
      sizes.add(bundleOf(here.server).split('BEGIN').length - 1);
    }
    expect([...sizes].sort()).toEqual([1, 2]);
    expect(bundleOf(here.server)).not.toContain(first);
    expect(injected(here.server)).toBe(bundleOf(here.server));
  });

  it('does not sign with an authority that could not be injected', async () => {
    const here = cluster();
    configured(here.server);
    const { published, lines } = replica(here);
    await settled(here);
    for (let day = 0; day < 240; day += 10) {
      here.clock.jumpWall(10 * dayMs);
      await pass(here, 30_000);
    }
    let isForbidden = true;
    here.server.interrupt = ({ method, url }) => {
      if (isForbidden && method === 'PUT' && url.pathname.includes('admissionregistration'))
        throw failure(403, 'Forbidden', 'may not');
      return undefined;
    };
    here.clock.jumpWall(10 * dayMs);
    await pass(here, 60_000);
    const served = published.at(-1);
    await pass(here, 20 * 60_000);
    expect(bundleOf(here.server).split('BEGIN')).toHaveLength(3);
    expect(published.at(-1)).toBe(served);
    expect(lines).toContainEqual(expect.objectContaining({ level: 'error', error: 'may not' }));
    isForbidden = false;
    await pass(here, 5 * 60_000);
    expect(published.at(-1)).not.toBe(served);
  });

  it('recreates a deleted Secret', async () => {
    const here = cluster();
    configured(here.server);
    const { published } = replica(here);
    await settled(here);
    here.server.delete(Secret, secret.name, secret.namespace);
    await pass(here, 60_000);
    expect(published).toHaveLength(2);
    expect(injected(here.server)).toBe(bundleOf(here.server));
  });

  it('uses a prepared empty Secret and leaves cert-manager’s Secret unchanged', async () => {
    const here = cluster();
    configured(here.server);
    here.server.put(Secret, {
      metadata: { ...secret, labels: { kept: 'yes' } },
      type: 'Opaque',
      data: { other: 'eA==' },
    });
    const { published } = replica(here);
    await settled(here);
    expect(published).toHaveLength(1);
    const kept = here.server.get(Secret, secret.name, secret.namespace);
    expect(kept).toMatchObject({ type: 'Opaque', metadata: { labels: { kept: 'yes' } }, data: { other: 'eA==' } });

    const theirs = cluster();
    theirs.server.put(Secret, { metadata: { ...secret, annotations: { 'cert-manager.io/certificate-name': 'x' } } });
    await expect(replica(theirs).running).rejects.toThrow(CertificateError);
  });

  it('retries after failures and reports webhooks that are not called yet', async () => {
    const here = cluster();
    let failures = 3;
    here.server.interrupt = () => {
      if (failures-- > 0) throw failure(500, 'InternalError', 'down');
      return undefined;
    };
    const { published, lines } = replica(here);
    for (let i = 0; i < 4; i++) {
      await settled(here);
      await here.clock.advance(30_000);
    }
    await settled(here);
    expect(published).toHaveLength(1);
    expect(lines.some((line) => line['event'] === 'authority.targets-missing')).toBe(true);
    expect(lines.filter((line) => line['error'] === 'down').length).toBeGreaterThan(0);
  });

  it('looks for missing objects every two seconds, then checks every 30 seconds', async () => {
    const here = cluster();
    replica(here);
    await settled(here);
    configured(here.server);
    await here.clock.advance(2_000);
    await settled(here);
    expect(injected(here.server)).toBe(bundleOf(here.server));
    const asked = here.server.requests.length;
    await here.clock.advance(29_000);
    await settled(here);
    expect(here.server.requests).toHaveLength(asked);
    await here.clock.advance(1_000);
    await settled(here);
    expect(here.server.requests.length).toBeGreaterThan(asked);
  });

  it('requires exactly one of service and url', () => {
    expect(() => ownAuthority({ secret })).toThrow(TypeError);
    expect(() => ownAuthority({ secret, service, url: 'https://127.0.0.1' })).toThrow('exactly one of');
  });

  it('adds its port to a URL for development', async () => {
    const here = cluster();
    configured(here.server);
    const { published } = replica(here, { url: 'https://127.0.0.1' });
    await settled(here);
    expect(here.server.get(ValidatingWebhookConfiguration, 'v').webhooks[0].clientConfig.url).toBe(
      'https://127.0.0.1:9443/',
    );
    expect(new X509Certificate(published[0]?.certificate ?? '').checkIP('127.0.0.1')).toBe('127.0.0.1');
  });
});
