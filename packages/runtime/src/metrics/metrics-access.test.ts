import { VirtualClock } from '@kubewright/apimachinery';
import { InProcessTransport, KubernetesClient } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { jsonLogger } from '../log/json-logger.ts';
import { eventually } from '../testdata/eventually.ts';
import { failure, json } from '../testdata/fake-api-server.ts';
import { MetricsAccess, type MetricsRequest } from './metrics-access.ts';

/** Sets up a server that reviews tokens: `good` and `poor` belong to known users; only `good-user` may read metrics. */
function setup() {
  const clock = new VirtualClock();
  const asked: { readonly kind: string; readonly spec: Readonly<Record<string, unknown>> }[] = [];
  const state = { isDown: false };
  const transport = new InProcessTransport({
    handle: async ({ body }) => {
      const review = JSON.parse(Buffer.from(body as Uint8Array).toString('utf8'));
      asked.push(review);
      const { spec } = review;
      if (state.isDown) return json(500, failure(500, 'InternalError', 'down').status);
      const known = ['good', 'poor'].includes(spec.token);
      const user = { username: `${spec.token}-user`, uid: '7', groups: ['g'], extra: { x: ['y'] } };
      const status =
        review.kind === 'TokenReview'
          ? { authenticated: known, ...(known && { user }) }
          : { allowed: spec.user === 'good-user' };
      return json(201, { ...review, status });
    },
    connection: undefined,
  });
  const retry = { maxRetryAfter: 0, maxTransportRetries: 0 };
  const client = new KubernetesClient({ transport, clock, retry });
  const lines: string[] = [];
  const log = jsonLogger({ destination: { write: (line) => void lines.push(line) } });
  const access = new MetricsAccess({ client: () => client, clock, log });
  const ask = (token: string | undefined, more: Partial<MetricsRequest> = {}) =>
    access.rejection({
      authorization: token === undefined ? undefined : `Bearer ${token}`,
      method: 'GET',
      path: '/metrics',
      ...more,
    });
  return { clock, asked, state, ask, lines, log };
}

describe('MetricsAccess', () => {
  it('admits authenticated and authorized users', async () => {
    const { ask, asked } = setup();
    expect(await ask('good')).toBeUndefined();
    expect(asked.map(({ kind, spec }) => ({ kind, spec }))).toEqual([
      { kind: 'TokenReview', spec: { token: 'good' } },
      {
        kind: 'SubjectAccessReview',
        spec: {
          user: 'good-user',
          uid: '7',
          groups: ['g'],
          extra: { x: ['y'] },
          nonResourceAttributes: { path: '/metrics', verb: 'get' },
        },
      },
    ]);
  });

  it('rejects unknown users with 401 and unauthorized users with 403', async () => {
    const { ask } = setup();
    const unauthorized = { status: 401, text: 'Unauthorized\n' };
    expect(await ask(undefined)).toEqual(unauthorized);
    expect(await ask('bad')).toEqual(unauthorized);
    expect(await ask('x', { authorization: 'Basic YTpi' })).toEqual(unauthorized);
    expect(await ask('x'.repeat(20_000))).toEqual(unauthorized);
    expect(await ask('poor')).toEqual({ status: 403, text: 'Authorization denied for user poor-user\n' });
  });

  it('caches reviews for their lifetime and shares them between concurrent requests', async () => {
    const { ask, asked, clock } = setup();
    await Promise.all([ask('good'), ask('good'), ask('good')]);
    expect(asked).toHaveLength(2);
    await clock.advance(59_000);
    await ask('good');
    expect(asked).toHaveLength(2);
    await clock.advance(2_000);
    await ask('good');
    expect(asked.map(({ kind }) => kind)).toEqual(['TokenReview', 'SubjectAccessReview', 'TokenReview']);
    await clock.advance(300_000);
    await ask('good');
    expect(asked).toHaveLength(5);
  });

  it('forgets a denial after half a minute', async () => {
    const { ask, asked, clock } = setup();
    await ask('poor');
    await clock.advance(31_000);
    await ask('poor');
    expect(asked.map(({ kind }) => kind)).toEqual(['TokenReview', 'SubjectAccessReview', 'SubjectAccessReview']);
  });

  it('responds with 500 if the API server fails, caches no failure and logs no token', async () => {
    const { ask, state, lines } = setup();
    state.isDown = true;
    expect(await ask('good')).toEqual({ status: 500, text: 'Authentication failed\n' });
    state.isDown = false;
    expect(await ask('good')).toBeUndefined();
    expect(lines.join('')).toContain('Authentication failed');
    expect(lines.join('')).not.toContain('Bearer');
  });

  it('responds with 503 before there is a client', async () => {
    const { log, clock } = setup();
    const access = new MetricsAccess({ client: () => undefined, clock, log });
    expect((await access.rejection({ authorization: 'Bearer x', method: 'GET', path: '/metrics' }))?.status).toBe(503);
  });

  it('times out if the API server hangs', async () => {
    const clock = new VirtualClock();
    const transport = new InProcessTransport({ handle: () => new Promise(() => {}), connection: undefined });
    const client = new KubernetesClient({ transport, clock, retry: { maxRetryAfter: 0, maxTransportRetries: 0 } });
    const { log } = setup();
    const answer = new MetricsAccess({ client: () => client, clock, log }).rejection({
      authorization: 'Bearer x',
      method: 'GET',
      path: '/metrics',
    });
    await eventually(() => clock.pendingTimers > 0);
    await clock.advance(10_000);
    expect((await answer)?.status).toBe(500);
  });
});
