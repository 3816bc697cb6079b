import type { WebhookCaller } from '@kubewright/apiserver/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

interface ConversionReview {
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly { readonly metadata: { readonly name: string } }[];
  };
}

/** Converts by setting only the version, unless the test makes it fail or hang. */
class ConvertingCaller implements WebhookCaller {
  readonly asked: string[] = [];
  mode: 'convert' | 'fail' | 'hang' = 'convert';

  call({ body, url }: Parameters<WebhookCaller['call']>[0]): ReturnType<WebhookCaller['call']> {
    const review = JSON.parse(Buffer.from(body ?? []).toString()) as ConversionReview;
    const { uid, desiredAPIVersion, objects } = review.request;
    this.asked.push(
      `${url.hostname} ${objects.map(({ metadata }) => metadata.name)} ${desiredAPIVersion.split('/')[1]}`,
    );
    if (this.mode === 'hang') return new Promise(() => {});
    if (this.mode === 'fail') return Promise.reject(new Error('no way'));
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }));
    const answer = { ...review, response: { uid, convertedObjects, result: { status: 'Success' } } };
    return Promise.resolve({ status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(answer)) });
  }
}

const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const jsonBody = { 'content-type': 'application/json' };
const at = (version: string): string => `/apis/conv.example.com/${version}/namespaces/default/gadgets`;

describe('webhook conversion', () => {
  let plane: PlaneUnderTest;
  let caller: ConvertingCaller;

  beforeEach(async () => {
    caller = new ConvertingCaller();
    plane = await PlaneUnderTest.start({ webhookCaller: caller });
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
    const webhook = { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://one/' } };
    const names = { plural: 'gadgets', kind: 'Gadget' };
    const conversion = { strategy: 'Webhook', webhook };
    const spec = { group: 'conv.example.com', scope: 'Namespaced', names, versions, conversion };
    await plane.send('POST', crd, { metadata: { name: 'gadgets.conv.example.com' }, spec }, jsonBody);
    await create('v1', 'a');
    await create('v1', 'b');
  });
  afterEach(() => plane[Symbol.asyncDispose]());

  const create = (version: string, name: string) =>
    plane.send(
      'POST',
      at(version),
      { apiVersion: `conv.example.com/${version}`, kind: 'Gadget', metadata: { name } },
      jsonBody,
    );
  const watch = async (version: string) => {
    const abort = new AbortController();
    const { body } = await plane.plane.handle({
      method: 'GET',
      path: `${at(version)}?watch=true`,
      headers: { authorization: 'Bearer admintoken' },
      body: undefined,
      signal: abort.signal,
      connection: { remoteAddress: '127.0.0.1', protocol: 'in-process' },
    });
    const events: { type: string; object: { message?: string; apiVersion?: string; metadata: { name?: string } } }[] =
      [];
    const ended = (async () => {
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        for (const line of Buffer.from(chunk).toString().trim().split('\n')) events.push(JSON.parse(line));
      }
    })();
    return {
      abort,
      ended,
      seen: () => events.map(({ type, object }) => `${type} ${object.metadata.name ?? object.message}`),
      events,
    };
  };
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise((resolve) => setImmediate(resolve));
  };

  it('calls the webhook on every get, but only once per object for lists', async () => {
    expect(caller.asked).toEqual([]);
    for (let times = 0; times < 2; times++) await plane.send('GET', `${at('v2')}/a`);
    expect(caller.asked).toEqual(['one a v2', 'one a v2']);
    for (let times = 0; times < 3; times++) await plane.send('GET', at('v2'));
    expect(caller.asked.slice(2).sort()).toEqual(['one a v2', 'one b v2']);
  });

  it('does not cache failures', async () => {
    caller.mode = 'fail';
    expect((await plane.send('GET', at('v2'))).status).toBe(500);
    caller.mode = 'convert';
    expect(JSON.parse((await plane.send('GET', at('v2'))).text).items).toHaveLength(2);
  });

  it('times out on a webhook that does not respond', async () => {
    caller.mode = 'hang';
    const read = plane.send('GET', `${at('v2')}/a`);
    await until(() => caller.asked.length > 0);
    await plane.clock.advance(30_000);
    expect(JSON.parse((await read).text)).toMatchObject({
      code: 500,
      message:
        'conversion webhook for conv.example.com/v1, Kind=Gadget failed: Post "https://one/?timeout=30s": context deadline exceeded',
    });
  });

  it('sends watch events in write order, no matter how long conversions take', async () => {
    const { seen, events, abort, ended } = await watch('v2');
    await until(() => seen().length === 2);
    for (const name of ['c', 'd', 'e']) await create('v1', name);
    await plane.send('DELETE', `${at('v1')}/c`);
    await until(() => seen().length === 6);
    expect(seen()).toEqual(['ADDED a', 'ADDED b', 'ADDED c', 'ADDED d', 'ADDED e', 'DELETED c']);
    expect(new Set(events.map(({ object }) => object.apiVersion))).toEqual(new Set(['conv.example.com/v2']));
    abort.abort();
    await ended;
  });

  it('ends only the watches whose conversion fails', async () => {
    const plain = await watch('v1');
    const converted = await watch('v2');
    await until(() => plain.seen().length === 2 && converted.seen().length === 2);
    caller.mode = 'fail';
    await create('v1', 'c');
    await converted.ended;
    expect(converted.seen().at(-1)).toMatch(/^ERROR conversion webhook for .* failed: .*no way$/);
    await until(() => plain.seen().length === 3);
    caller.mode = 'convert';
    const again = await watch('v2');
    await until(() => again.seen().length === 3);
    for (const stream of [plain, again]) stream.abort.abort();
    await Promise.all([plain.ended, again.ended]);
    expect(plane.errors).toEqual([]);
  });

  it('calls the webhook of the current definition', async () => {
    const conversion = { webhook: { clientConfig: { url: 'https://two/' } } };
    const headers = { 'content-type': 'application/merge-patch+json' };
    await plane.send('PATCH', `${crd}/gadgets.conv.example.com`, { spec: { conversion } }, headers);
    await plane.send('GET', at('v2'));
    expect(caller.asked.sort()).toEqual(['two a v2', 'two b v2']);
  });
});
