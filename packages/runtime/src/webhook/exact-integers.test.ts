import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { defineKind } from '../kind/index.ts';
import { converter, spoke } from './converter.ts';
import { defaulter } from './defaulter.ts';
import { ExactIntegers } from './exact-integers.ts';
import { standaloneWebhooks } from './standalone-webhooks.ts';
import type { WebhookDefinition } from './webhook-definition.ts';

const NANOS = '1732272000123456789';
const group = 'example.com';
const Hub = defineKind<{ startedAtNanos: number; copiedNanos?: number }>({ group, version: 'v2', kind: 'Site' });
const Old = defineKind<{ startedAtNanos: number }>({ group, version: 'v1', kind: 'Site' });

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
    const text = await convert(site(`"startedAtNanos":${NANOS}`), site('"startedAtNanos":-9223372036854775808'));
    expect(text).toContain(`"startedAtNanos":${NANOS}`);
    expect(text).toContain('"startedAtNanos":-9223372036854775808');
    expect(text).toContain('"status":"Success"');
  });

  it('fail the request if two of them cannot be distinguished', async () => {
    const text = await convert(site('"startedAtNanos":9007199254740993'), site('"startedAtNanos":9007199254740992'));
    expect(text).toContain('cannot keep the integers of this request');
    expect(text).toContain('"status":"Failure"');
  });

  it('survive patches of mutating webhooks', async () => {
    const copying = defaulter(Hub, ({ spec, ...rest }) => ({
      ...rest,
      spec: { ...spec, copiedNanos: spec.startedAtNanos },
    }));
    const kind = { group, version: 'v2', kind: 'Site' };
    const resource = { group, version: 'v2', resource: 'sites' };
    const request = JSON.stringify({ uid: 'u', operation: 'CREATE', kind, resource, userInfo: {}, name: 'a' });
    const object = site(`"startedAtNanos":${NANOS}`).replace('/v1"', '/v2"');
    const review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":${request.slice(0, -1)},"object":${object}}}`;
    const { response } = JSON.parse(await answer(copying, copying.path, review));
    expect(response.allowed).toBe(true);
    expect(Buffer.from(response.patch, 'base64').toString()).toBe(
      `[{"op":"add","path":"/spec/copiedNanos","value":${NANOS}}]`,
    );
  });
});

describe('ExactIntegers', () => {
  it.each([
    '{"a":1,"b":[true,null,"x"]}',
    `{"a":${NANOS},"b":"${NANOS}","c":{"d":[${NANOS},-${NANOS},1]}}`,
    '[9223372036854775807,18446744073709551615,1e21,0.5]',
    `{"exact-integer-0":"exact-integer-0","a":${NANOS},"b":"exact-integer--1\\""}`,
    `{"a\\"":${NANOS},"${NANOS}":"\\\\"}`,
  ])('writes %s unchanged', (text) => {
    const { value, integers } = ExactIntegers.read(text);
    expect(integers.write(value)).toBe(text);
  });
});
