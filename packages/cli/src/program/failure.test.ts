import { KubewrightError, StatusError } from '@kubewright/apimachinery';
import { TransportError } from '@kubewright/client';
import { describe, expect, it } from 'vitest';
import { failureOf } from './failure.ts';

const failure = (error: unknown) => failureOf(error, { debug: false });
const status = (code: number, rest: object) =>
  new StatusError({ apiVersion: 'v1', kind: 'Status', status: 'Failure', code, metadata: {}, ...rest });

class LeaseError extends KubewrightError {
  override readonly code = 'KW9999';
}

/** An error with the code of a port that is in use. */
class BusyPortError extends KubewrightError {
  override readonly code = 'KW5101';
}

describe('failureOf', () => {
  it('asks the user to log in again when authentication fails', () => {
    expect(failure(status(401, { reason: 'Unauthorized', message: 'Unauthorized' }))).toEqual({
      message: {
        code: 'KW7303',
        what: 'authentication failed',
        why: 'Unauthorized',
        remedy: 'log in again with the tool that created the kubeconfig, then retry',
      },
      exitCode: 3,
    });
  });

  it('suggests the missing rule when access is denied', () => {
    const who = 'system:serviceaccount:a:b';
    const message = `pods is forbidden: User "${who}" cannot list resource "pods" in API group "" at the cluster scope`;
    const { message: text, exitCode } = failure(status(403, { reason: 'Forbidden', message }));
    expect(exitCode).toBe(1);
    expect(text.remedy).toBe(`grant ${who} this rule:
- apiGroups: [""]
  resources: ["pods"]
  verbs: ["list"]`);
  });

  it('lists the causes of an invalid object, field by field', () => {
    const causes = [
      { field: 'spec.a', message: 'Required value' },
      { field: 'spec.b', message: 'Too long' },
    ];
    const { message } = failure(status(422, { reason: 'Invalid', message: 'x is invalid', details: { causes } }));
    expect(message).toMatchObject({ code: 'KW7306', why: 'spec.a: Required value\nspec.b: Too long' });
  });

  it.each([
    ['Conflict', 409, 'retry: the object has changed in the meantime'],
    ['BadRequest', 400, 'fix the problem described above, then retry'],
    ['TooManyRequests', 429, "retry in a moment; if the error persists, check the API server's log"],
    ['InternalError', 500, "retry in a moment; if the error persists, check the API server's log"],
    ['ServiceUnavailable', 503, "retry in a moment; if the error persists, check the API server's log"],
    ['Timeout', 504, "retry in a moment; if the error persists, check the API server's log"],
    ['ServerTimeout', 504, "retry in a moment; if the error persists, check the API server's log"],
  ])('says what to do about %s', (reason, code, remedy) => {
    const { message } = failure(status(code, { reason, message: 'no' }));
    expect(message).toMatchObject({ code: 'KW7306', remedy });
  });

  it.each([
    [
      { name: 'one', group: 'example.com', kind: 'shops' },
      'create shops.example.com "one", or correct the name or the namespace; list existing objects: kubectl get shops.example.com --all-namespaces',
    ],
    [
      { name: 'one', kind: 'secrets' },
      'create secrets "one", or correct the name or the namespace; list existing objects: kubectl get secrets --all-namespaces',
    ],
    [
      { name: 'shop', kind: 'namespaces' },
      'create the namespace, or choose another one: kubectl create namespace shop',
    ],
    [{}, 'check that the cluster serves the kind: kubectl api-resources'],
  ])('says what to do about a missing object: %o', (details, remedy) => {
    const { message } = failure(status(404, { reason: 'NotFound', message: 'not found', details }));
    expect(message).toMatchObject({ code: 'KW7306', why: 'not found', remedy });
  });

  it('suggests a remedy when a webhook cannot be called', () => {
    const at = (service: string) => `Post "https://${service}.shop-system.svc:443/validate-shop?timeout=10s"`;
    const text = (message: string) => failure(status(500, { reason: 'InternalError', message }));
    expect(
      text(
        `Internal error occurred: failed calling webhook "vshop-v1.kb.io": failed to call webhook: ${at('shop-webhook-service')}: no endpoints available for service "shop-webhook-service"`,
      ),
    ).toEqual({
      exitCode: 3,
      message: {
        code: 'KW7310',
        what: 'writes are rejected because the API server cannot call the webhook vshop-v1.kb.io',
        why: `${at('shop-webhook-service')}: no endpoints available for service "shop-webhook-service"`,
        remedy:
          'start the operator of the webhook (kubewright deploy), and check kubectl -n shop-system get pods,endpointslices; or remove the operator and its webhooks: kubewright undeploy',
      },
    });
    expect(
      text(`failed calling webhook "a": failed to call webhook: ${at('shop-webhook-service')}: x509: bad`),
    ).toMatchObject({
      message: {
        remedy:
          "wait until the API server trusts the certificate, or check the operator's log: kubectl -n shop-system logs deployment/shop-controller-manager",
      },
    });
    expect(
      text('conversion webhook for a.b/v1, Kind=Shop failed: KW7310 the operator is down: it ended'),
    ).toMatchObject({
      message: {
        code: 'KW7310',
        what: 'cannot call the conversion webhook for a.b/v1 Shop',
        why: 'the operator is down: it ended',
      },
    });
  });

  it('uses exit code 3 for environment failures', () => {
    const unreachable = new TransportError('KW2001', { what: 'no connection to 127.0.0.1:9' }, { sent: false });
    expect(failure(unreachable)).toMatchObject({ exitCode: 3, message: { code: 'KW7301' } });
    const busy = new BusyPortError({ what: 'what', why: 'why', remedy: 'how' });
    const message = { code: 'KW5101', what: 'what', why: 'why', remedy: 'how' };
    expect(failure(busy)).toEqual({ exitCode: 3, message });
  });

  it('recommends doctor, but not to doctor itself', () => {
    const unreachable = new TransportError('KW2001', { what: 'no connection to 127.0.0.1:9' }, { sent: false });
    const lease = new LeaseError({ what: 'cannot read the lease' }, { cause: unreachable });
    for (const error of [unreachable, lease]) {
      const remedyFor = (command: string) => failureOf(error, { debug: false, command }).message.remedy;
      expect(remedyFor('kubewright install')).toContain(': kubewright doctor');
      for (const command of ['kubewright doctor', 'kubectl kubewright doctor'])
        expect(remedyFor(command)).not.toContain('doctor');
    }
  });

  it('keeps the code and remedy of an error, and explains it with its cause', () => {
    const cause = status(503, { reason: 'ServiceUnavailable', message: 'overloaded' });
    const lease = new LeaseError({ what: 'cannot read the lease', remedy: 'wait for the leader' }, { cause });
    expect(failure(lease).message).toEqual({
      code: 'KW9999',
      what: 'cannot read the lease',
      why: 'overloaded',
      remedy: 'wait for the leader',
    });
  });

  it('shows a stack only in debug mode', () => {
    expect(failure(new Error('odd')).message).toMatchObject({ code: 'KW7002', why: 'odd' });
    expect(failureOf(new Error('odd'), { debug: true }).message.why).toContain('failure.test.ts');
  });
});
