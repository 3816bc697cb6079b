import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defineKind } from '../kind/index.ts';
import { converter, spoke } from './converter.ts';
import { defaulter } from './defaulter.ts';
import { standaloneWebhooks } from './standalone-webhooks.ts';
import type { WebhookDefinition } from './webhook-definition.ts';

const nanos = '1732272000123456789';
const group = 'example.com';
const Hub = defineKind<{ startedAtNanos: number | bigint; copiedNanos?: number | bigint }>({
  group,
  version: 'v2',
  kind: 'Site',
});
const Old = defineKind<{ startedAtNanos: number | bigint }>({ group, version: 'v1', kind: 'Site' });

/** Sends a body over HTTP and returns the response as text. */
async function answer(webhook: WebhookDefinition, path: string, body: string): Promise<string> {
  const server = createServer(standaloneWebhooks([webhook]));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listens on TCP
  const headers = { 'content-type': 'application/json' };
  try {
    return await (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', headers, body })).text();
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const site = (fields: string): string =>
  `{"apiVersion":"${group}/v1","kind":"Site","metadata":{"name":"a","namespace":"n","uid":"1"},"spec":{${fields}}}`;

/** Returns the JSON of a review of a new object. */
function reviewOf(startedAtNanos: string): string {
  const kind = { group, version: 'v2', kind: 'Site' };
  const resource = { group, version: 'v2', resource: 'sites' };
  const request = JSON.stringify({ uid: 'u', operation: 'CREATE', kind, resource, userInfo: {}, name: 'a' });
  const object = site(`"startedAtNanos":${startedAtNanos}`).replace('/v1"', '/v2"');
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":${request.slice(0, -1)},"object":${object}}}`;
}

describe('64-bit integers in webhooks', () => {
  const sites = converter(Hub, [
    spoke(Old, { toHub: (old) => ({ spec: { ...old.spec } }), fromHub: (hub) => ({ spec: { ...hub.spec } }) }),
  ]);
  const convert = (...objects: string[]): Promise<string> =>
    answer(
      sites,
      '/convert',
      `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u","desiredAPIVersion":"${group}/v2","objects":[${objects.join()}]}}`,
    );

  it('survive conversions', async () => {
    const text = await convert(site(`"startedAtNanos":${nanos}`), site('"startedAtNanos":-9223372036854775808'));
    expect(text).toContain(`"startedAtNanos":${nanos}`);
    expect(text).toContain('"startedAtNanos":-9223372036854775808');
    expect(text).toContain('"status":"Success"');
  });

  it('remain distinct if they round to one number', async () => {
    const text = await convert(site('"startedAtNanos":9007199254740993'), site('"startedAtNanos":9007199254740992'));
    expect(text).toContain('"startedAtNanos":9007199254740993');
    expect(text).toContain('"startedAtNanos":9007199254740992');
  });

  it('can be compared and computed with, as bigints', async () => {
    const seen: unknown[] = [];
    const hook = defaulter(Hub, ({ spec, ...rest }) => {
      seen.push(spec.startedAtNanos, spec.startedAtNanos > 2 ** 53);
      return { ...rest, spec: { ...spec, copiedNanos: BigInt(spec.startedAtNanos) + 1n } };
    });
    const { response } = JSON.parse(await answer(hook, hook.path, reviewOf(nanos)));
    expect(seen).toEqual([BigInt(nanos), true]);
    expect(Buffer.from(response.patch, 'base64').toString()).toContain('"value":1732272000123456790');
  });

  it('survive patches of mutating webhooks', async () => {
    const copying = defaulter(Hub, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, copiedNanos: spec.startedAtNanos },
    }));
    const { response } = JSON.parse(await answer(copying, copying.path, reviewOf(nanos)));
    expect(response.allowed).toBe(true);
    expect(Buffer.from(response.patch, 'base64').toString()).toBe(
      `[{"op":"add","path":"/spec/copiedNanos","value":${nanos}}]`,
    );
  });
});
