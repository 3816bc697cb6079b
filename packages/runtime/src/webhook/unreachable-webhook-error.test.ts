import { StatusError } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { explainUnreachable, UnreachableWebhookError } from './unreachable-webhook-error.ts';

const refused = (message: string) =>
  new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 500,
    reason: 'InternalError',
    metadata: {},
    message,
  });

describe('explainUnreachable', () => {
  it('names the webhook that cannot be called, the reason and the remedy', () => {
    const url = 'https://shop-webhook-service.shop-system.svc:443/validate-web-example-com-v1-shop?timeout=10s';
    const error = refused(
      `Internal error occurred: failed calling webhook "vshop-v1.kb.io": failed to call webhook: Post "${url}": no endpoints available for service "shop-webhook-service"`,
    );
    const explained = explainUnreachable(error) as UnreachableWebhookError;
    expect(explained).toBeInstanceOf(UnreachableWebhookError);
    expect(explained.cause).toBe(error);
    expect(explained).toMatchObject({
      code: 'KW3044',
      what: 'writes are blocked because the API server cannot call the webhook vshop-v1.kb.io',
      why: `Post "${url}": no endpoints available for service "shop-webhook-service"`,
      remedy:
        'run kubectl -n shop-system get pods,endpointslices to check that the operator behind Service shop-webhook-service is running; if this operator was removed permanently, delete its webhook configuration',
    });
  });

  it('recognizes untrusted certificates, conversions and addresses', () => {
    const seen = (message: string) => String(explainUnreachable(refused(message)));
    expect(
      seen('failed calling webhook "a": failed to call webhook: Post "https://s.n.svc:443/x": x509: unknown'),
    ).toContain('has written a valid caBundle');
    expect(seen('conversion webhook for a.b/v1, Kind=Shop failed: Post "https://127.0.0.1:1/convert": EOF')).toBe(
      'UnreachableWebhookError: cannot convert Shop to a.b/v1 because the API server cannot call its conversion webhook: Post "https://127.0.0.1:1/convert": EOF; start the operator that serves this webhook, or delete the webhook configuration',
    );
  });

  it('returns every other error unchanged', () => {
    const denied = refused('admission webhook "vshop-v1.kb.io" denied the request: no');
    const other = new Error('failed calling webhook "x": y');
    expect([explainUnreachable(denied), explainUnreachable(other)]).toEqual([denied, other]);
  });
});
