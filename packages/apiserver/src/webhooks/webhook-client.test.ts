import { VirtualClock } from '@kubewright/apimachinery';
import { beforeEach, describe, expect, it } from 'vitest';
import type { WebhookCaller, WebhookRequest, WebhookResponse } from './webhook-caller.ts';
import { WebhookClient, type WebhookPost } from './webhook-client.ts';

const ok: WebhookResponse = { status: 200, contentType: 'application/json', body: Buffer.from('{"fine":true}') };

/** Responds as the test specifies and records its requests. */
class ScriptedCaller implements WebhookCaller {
  readonly asked: WebhookRequest[] = [];
  answer: (request: WebhookRequest) => Promise<WebhookResponse> = () => Promise.resolve(ok);

  call(request: WebhookRequest): Promise<WebhookResponse> {
    this.asked.push(request);
    return this.answer(request);
  }
}

describe('WebhookClient', () => {
  let clock: VirtualClock;
  let caller: ScriptedCaller;
  let client: WebhookClient;

  beforeEach(() => {
    clock = new VirtualClock(0);
    caller = new ScriptedCaller();
    const resolve = ({ name }: { readonly name: string }) =>
      name === 'none'
        ? Promise.reject(new Error('service "none" not found'))
        : Promise.resolve({ host: '127.1.0.9', port: 9443 });
    client = new WebhookClient({ caller, clock, resolve });
  });

  const post = (more: Partial<WebhookPost> = {}) =>
    client.post({ config: { url: 'https://hooks.example.com/path' }, body: { a: 1 }, timeoutSeconds: 3, ...more });
  const service = { namespace: 'ns', name: 'hooks', path: '/review' };

  it('posts the review and returns the JSON of the response', async () => {
    expect(await post()).toEqual({ fine: true });
    const [request] = caller.asked;
    expect(request).toMatchObject({ method: 'POST', connectTo: undefined, ca: undefined });
    expect(request?.url.href).toBe('https://hooks.example.com/path?timeout=3s');
    expect(Buffer.from(request?.body ?? []).toString()).toBe('{"a":1}');
  });

  it("connects to an endpoint of a service, under the name in the service's certificate", async () => {
    const caBundle = Buffer.from('PEM\n').toString('base64');
    await post({ config: { service, caBundle } });
    expect(caller.asked[0]).toMatchObject({ connectTo: { host: '127.1.0.9', port: 9443 }, ca: 'PEM' });
    expect(caller.asked[0]?.url.href).toBe('https://hooks.ns.svc/review?timeout=3s');
  });

  it('reports a missing service', async () => {
    await expect(post({ config: { service: { ...service, name: 'none' } } })).rejects.toThrow(
      'Post "https://none.ns.svc:443/review?timeout=3s": service "none" not found',
    );
    expect(caller.asked).toEqual([]);
  });

  it('times out after the deadline and aborts the call', async () => {
    caller.answer = () => new Promise(() => {}); // a caller that ignores its signal
    const posted = post();
    const outcome = expect(posted).rejects.toThrow(
      'Post "https://hooks.example.com/path?timeout=3s": context deadline exceeded',
    );
    await clock.advance(2_999);
    expect(caller.asked[0]?.signal.aborted).toBe(false);
    await clock.advance(1);
    await outcome;
    expect(caller.asked[0]?.signal.aborted).toBe(true);
  });

  it('aborts the call when its signal aborts', async () => {
    const abort = new AbortController();
    caller.answer = () => new Promise(() => {});
    const outcome = expect(post({ signal: abort.signal })).rejects.toThrow('context canceled');
    abort.abort();
    await outcome;
  });

  it('leaves no timer behind', async () => {
    await post();
    caller.answer = () => Promise.reject(new Error('broken pipe'));
    await expect(post()).rejects.toThrow('broken pipe');
    expect(clock.pendingTimers).toBe(0);
  });

  it('does not follow a redirect from https to http', async () => {
    caller.answer = () => Promise.resolve({ ...ok, status: 307, location: 'http://127.0.0.1/secret' });
    await expect(post()).rejects.toThrow('Post "http://127.0.0.1/secret": the redirect does not use https');
    expect(caller.asked).toHaveLength(1);
  });

  it('does not resolve the service after a redirect to another host', async () => {
    caller.answer = ({ url }) =>
      Promise.resolve(url.host === 'hooks.ns.svc' ? { ...ok, status: 308, location: 'https://else.example.com/' } : ok);
    await post({ config: { service } });
    expect(caller.asked.map(({ connectTo, method }) => [method, connectTo?.host])).toEqual([
      ['POST', '127.1.0.9'],
      ['POST', undefined],
    ]);
  });

  it('rejects responses that are not a JSON object, with any status code', async () => {
    const answers: readonly (readonly [number, string, string])[] = [
      [200, '[1]', 'cannot unmarshal array'],
      [200, '{"a":1,"a":', 'json parse error'],
      [200, 'null', 'cannot unmarshal object'],
      [418, '', 'the server responded with the status code 418 but did not return more information'],
      [503, 'x', 'the server is currently unable to handle the request'],
      [502, 'x', 'an error on the server ("unknown") has prevented the request from succeeding'],
    ];
    for (const [status, text, message] of answers) {
      caller.answer = () => Promise.resolve({ ...ok, status, body: Buffer.from(text) });
      await expect(post(), text).rejects.toThrow(message);
    }
  });

  it('rejects a deeply nested response', async () => {
    caller.answer = () => Promise.resolve({ ...ok, body: Buffer.from(`{"a":${'['.repeat(100_000)}`) });
    await expect(post()).rejects.toMatchObject({ code: 'KW5701' });
  });
});
