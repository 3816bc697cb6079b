import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { authenticationWebhook } from './authentication-webhook.ts';
import { standaloneWebhooks } from './standalone-webhooks.ts';
import { review, Site, served, site } from './testdata/reviews.ts';
import { validator } from './validator.ts';
import { WebhookError } from './webhook-error.ts';

const sessions = authenticationWebhook({
  path: '/authenticate',
  async authenticate({ token, audiences }) {
    if (token === 's3cr3t') throw new Error(`cannot read ${token}`);
    return token === 'good' ? { user: { username: 'ann', groups: ['g'] }, audiences } : {};
  },
});

const tokenReview = (token: string, apiVersion = 'authentication.k8s.io/v1') => ({
  apiVersion,
  kind: 'TokenReview',
  metadata: { uid: 'u' },
  spec: { token, audiences: ['api'] },
});

describe('authenticationWebhook', () => {
  it('returns the user of a token, in the version of the request', async () => {
    const { post } = served([sessions]);
    expect(await post('/authenticate', tokenReview('good'))).toEqual({
      kind: 'TokenReview',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { uid: 'u' },
      spec: {},
      status: expect.objectContaining({
        authenticated: true,
        user: { username: 'ann', groups: ['g'] },
        audiences: ['api'],
      }),
    });
    const answer = await post('/authenticate', tokenReview('bad', 'authentication.k8s.io/v1beta1'));
    expect(answer).toMatchObject({ apiVersion: 'authentication.k8s.io/v1beta1', status: { authenticated: false } });
  });

  it('authenticates no one if the function fails or the request is invalid', async () => {
    const { post, counts, lines } = served([sessions]);
    const { status } = await post('/authenticate', tokenReview('s3cr3t'));
    expect(status).toEqual({ authenticated: false, error: 'the webhook failed' });
    expect(counts.panics).toHaveLength(1);
    expect(JSON.stringify(lines)).toContain('cannot read <token>');
    expect(JSON.stringify(lines)).not.toContain('s3cr3t');
    for (const body of ['', '{', '{}', tokenReview('')])
      expect((await post('/authenticate', body)).status).toMatchObject({
        authenticated: false,
        error: expect.any(String),
      });
  });

  it('needs its own path', () => {
    expect(() => served([sessions, sessions])).toThrow(WebhookError);
  });
});

describe('standaloneWebhooks', () => {
  it("handles requests in the caller's own server", async () => {
    const rules = validator(Site, { create: () => 'no' });
    const server = createServer(standaloneWebhooks([rules]));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const answer = await fetch(`http://127.0.0.1:${port}/validate-web-example-com-v1-site`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(review({ object: site({}) })),
    });
    expect(await answer.json()).toMatchObject({ response: { allowed: false, status: { message: 'no' } } });
    server.closeAllConnections();
    server.close();
  });
});
