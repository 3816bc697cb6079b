import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { Asked } from '../testdata/asked.ts';

const wells = '/apis/wells.example.com/v1/namespaces/default/wells';
const well = { apiVersion: 'wells.example.com/v1', kind: 'Well', metadata: { name: 'w' }, spec: { depth: 3 } };
const anyone = { authenticate: async () => ({ username: 'anyone', groups: [] }) };
const allowAll = { authorize: async () => ({ decision: 'allow' as const, reason: '' }) };

/** Starts a server that authorizes every request and stops with a delay of ten seconds. */
async function listening(options: ConstructorParameters<typeof Asked>[0] = {}): Promise<Asked> {
  const clock = new VirtualClock(Date.now());
  const access = { authenticators: [anyone], authorizer: allowAll };
  const asked = new Asked({ shutdownDelayMs: 10_000, clock, ...access, ...options });
  await asked.server.start();
  return asked;
}

/** Opens a new connection for one request; returns the response once its headers have arrived. */
async function open({ server }: Asked, path: string, json?: object): Promise<IncomingMessage> {
  const headers = { 'content-type': 'application/json' };
  const method = json === undefined ? 'GET' : 'POST';
  const sent = request(new URL(path, server.url), { ca: server.authority, agent: false, method, headers });
  const [response] = (await once(sent.end(json && JSON.stringify(json)), 'response')) as [IncomingMessage];
  response.setEncoding('utf8').on('data', () => undefined);
  return response;
}

async function statusOf(asked: Asked, path: string, json?: object): Promise<number | undefined> {
  return (await open(asked, path, json)).statusCode;
}

describe('apiServer shutdown', () => {
  it('reports that it is not ready and serves during the delay, then ends watches and connections', async () => {
    const clock = new VirtualClock(Date.now());
    const asked = await listening({ clock });
    const watch = await open(asked, `${wells}?watch=true`);
    const ended = once(watch, 'end');
    const stopped = asked.server[Symbol.asyncDispose]();
    await clock.advance(9_999);
    expect(await statusOf(asked, '/readyz')).toBe(500);
    expect(await statusOf(asked, '/healthz')).toBe(200);
    const event = once(watch, 'data').then(String);
    expect(await statusOf(asked, wells, well)).toBe(201);
    expect(await event).toContain('"ADDED"');
    expect(watch.readableEnded).toBe(false);

    await clock.advance(1);
    await ended;
    await stopped;
    await expect(open(asked, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });

  it('lets requests in progress finish after the delay', async () => {
    const clock = new VirtualClock(Date.now());
    let isAsked = false;
    let grant: () => void = () => undefined;
    const granted = new Promise<void>((resolve) => {
      grant = resolve;
    });
    const authorizer = {
      authorize: async () => {
        isAsked = true;
        await granted;
        return { decision: 'allow' as const, reason: '' };
      },
    };
    const asked = await listening({ clock, authorizer });
    const response = statusOf(asked, wells);
    await expect.poll(() => isAsked).toBe(true);
    const stopped = asked.server[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await expect(open(asked, '/healthz')).rejects.toThrow('ECONNREFUSED');
    grant();
    expect(await response).toBe(200);
    await stopped;
  });

  it('stops without a delay by default, and if it never listened', async () => {
    const asked = await listening({ shutdownDelayMs: undefined });
    await asked.server[Symbol.asyncDispose]();
    await expect(open(asked, '/healthz')).rejects.toThrow('ECONNREFUSED');
    await new Asked({ shutdownDelayMs: 10_000 }).server[Symbol.asyncDispose]();
  });

  it.each([
    ['shutdownDelayMs', Number.NaN],
    ['shutdownDelayMs', -1],
    ['shutdownDelayMs', Number.POSITIVE_INFINITY],
    ['shutdownDelayMs', '1000' as unknown as number],
    ['graceMs', Number.NaN],
    ['graceMs', -1],
  ])('rejects a %s of %s', (name, ms) => {
    expect(() => new Asked({ [name]: ms })).toThrow(
      expect.objectContaining({
        code: 'KW5303',
        what: `invalid ${name} ${ms} of apiServer`,
        remedy: `set ${name} to a non-negative number, such as 10_000 for ten seconds`,
      }),
    );
  });
});
