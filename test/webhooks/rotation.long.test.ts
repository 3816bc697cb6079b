import { VirtualClock } from '@kubewright/apimachinery';
import { ValidatingWebhookConfiguration } from '@kubewright/apimachinery/admissionregistration/v1';
import { Secret } from '@kubewright/apimachinery/core/v1';
import { type CertificateSource, ownAuthority, webhookConfigurations } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually, OperatedCluster, operatorNamespace, shop } from './operated-cluster.ts';
import { Shop, shopDefinition, shopRules } from './shop.ts';

const dayMs = 86_400_000;
const secret = { namespace: operatorNamespace, name: 'webhook-cert' };
const intervalMs = 30_000;

/**
 * TLS uses real time, but rotation takes months. So the CA's clock starts 300 days in the past, and its certificates are
 * valid long enough to be valid now.
 */
const lifetimes = {
  authorityMs: 1_000 * dayMs,
  renewAuthorityMs: 900 * dayMs,
  servingMs: 900 * dayMs,
  renewServingMs: 850 * dayMs,
};

describe("rotation of the operator's own CA", () => {
  let cluster: OperatedCluster;
  const clock = new VirtualClock(Date.now() - 300 * dayMs);
  beforeAll(async () => {
    cluster = await OperatedCluster.start();
    await cluster.define(shopDefinition());
    const names = { validating: 'shop-validating' };
    for (const configuration of webhookConfigurations([shopRules], { names }))
      await cluster.client
        .resource(ValidatingWebhookConfiguration)
        .create(configuration as ValidatingWebhookConfiguration);
    const authority = ownAuthority({
      secret,
      url: 'https://127.0.0.1',
      validating: [names.validating],
      lifetimes,
      intervalMs,
    });
    const certificates: CertificateSource = { run: (parts, signal) => authority.run({ ...parts, clock }, signal) };
    // Two replicas listen on different ports and write their addresses in turn, so that both are called.
    for (const _ of [1, 2])
      await cluster.operate({ webhooks: [shopRules], webhookServer: { port: 0, host: '127.0.0.1', certificates } });
    await eventually('the webhook is called', () => isRefused('probe'));
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** Reports whether the webhook rejected the object. Throws on any other failure. */
  async function isRefused(name: string): Promise<boolean> {
    try {
      await cluster.client.resource(Shop).create(shop(name, { owner: 'x', size: 99 }) as Shop, { dryRun: true });
      return false;
    } catch (error) {
      if (String(error).includes('must be at most 9')) return true;
      throw error;
    }
  }

  async function bundle(): Promise<string> {
    const { data = {} } = await cluster.client.resource(Secret).get(secret);
    return Buffer.from(data['ca.crt'] ?? '', 'base64').toString('utf8');
  }

  async function injected(): Promise<string> {
    const configuration = await cluster.client
      .resource(ValidatingWebhookConfiguration)
      .get({ name: 'shop-validating' });
    return Buffer.from(configuration.webhooks?.[0]?.clientConfig.caBundle ?? '', 'base64').toString('utf8');
  }

  /** Lets the replicas check the certificates a few times. */
  async function look(): Promise<void> {
    for (let i = 0; i < 3; i++) {
      await clock.advance(intervalMs);
      await eventually(
        'all is looked after',
        async () => clock.pendingTimers >= 2 && (await injected()) === (await bundle()),
      );
    }
  }

  it('fails no request while everything is replaced twice', async () => {
    const first = await bundle();
    const failures: unknown[] = [];
    let asked = 0;
    let isOver = false;
    const flow = (async () => {
      while (!isOver) {
        try {
          if (await isRefused(`flow-${asked++}`)) continue;
          failures.push('admitted what the webhook refuses');
        } catch (error) {
          failures.push(error);
          isOver = failures.length > 20;
        }
      }
    })();
    const sizes = new Set<number>();
    const bundles = new Set<string>();
    try {
      for (let day = 0; day < 260; day += 20) {
        clock.jumpWall(20 * dayMs);
        for (let minute = 0; minute < 24; minute += 6) {
          await look();
          clock.jumpWall(6 * 60_000);
          const certificates = (await bundle()).match(/-----BEGIN[\s\S]+?END CERTIFICATE-----/g) ?? [];
          sizes.add(certificates.length);
          for (const each of certificates) bundles.add(each);
          const before = asked;
          await eventually('requests flow', () => asked >= before + 3);
        }
      }
    } finally {
      isOver = true;
      await flow;
    }
    expect(failures).toEqual([]);
    expect([...sizes].sort()).toEqual([1, 2]);
    expect(bundles.size).toBe(3);
    expect(await bundle()).not.toContain(first);
  }, 180_000);
});
