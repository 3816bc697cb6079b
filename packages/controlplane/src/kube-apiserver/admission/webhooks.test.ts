import type { WebhookCaller } from '@kubewright/apiserver/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PlaneUnderTest } from '../testdata/plane-under-test.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly object: { readonly metadata: { readonly labels?: Record<string, string> } };
  };
}

/** Responds to reviews as the test specifies for each host, and records the hosts that were called. */
class ReviewCaller implements WebhookCaller {
  readonly asked: string[] = [];
  answer: (host: string, review: Review) => Promise<object> = () => Promise.resolve({ allowed: true });

  async call({ url, body, signal }: Parameters<WebhookCaller['call']>[0]): ReturnType<WebhookCaller['call']> {
    this.asked.push(url.hostname);
    const review = JSON.parse(Buffer.from(body ?? []).toString()) as Review;
    const response = await this.answer(url.hostname, review);
    signal.throwIfAborted();
    const answer = { ...review, response: { uid: review.request.uid, ...response } };
    return { status: 200, contentType: 'application/json', body: Buffer.from(JSON.stringify(answer)) };
  }
}

const registration = '/apis/admissionregistration.k8s.io/v1';
const rules = [{ operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
const hook = (host: string, more: object = {}) => ({
  name: `${host}.example.com`,
  clientConfig: { url: `https://${host}/` },
  rules,
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  timeoutSeconds: 2,
  ...more,
});
const patch = (...operations: readonly object[]): object => ({
  allowed: true,
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

describe('admission webhooks', () => {
  let plane: PlaneUnderTest;
  let caller: ReviewCaller;
  let events: Readonly<Record<string, unknown>>[];

  beforeEach(async () => {
    caller = new ReviewCaller();
    const auditLog = {
      policy: { apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Request' }] },
      write: (event: Readonly<Record<string, unknown>>) => events.push(event),
    };
    events = [];
    plane = await PlaneUnderTest.start({ webhookCaller: caller, auditLog });
  });
  afterEach(() => plane[Symbol.asyncDispose]());

  const configure = async (kind: 'Mutating' | 'Validating', ...webhooks: readonly object[]): Promise<void> => {
    const path = `${registration}/${kind.toLowerCase()}webhookconfigurations`;
    const { status, text } = await plane.send('POST', path, { metadata: { name: 'hooks' }, webhooks }, jsonBody);
    expect(status, text).toBe(201);
  };
  const create = (name: string) =>
    plane.send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } }, jsonBody);
  const jsonBody = { 'content-type': 'application/json' };
  const turns = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  };

  it('calls validating webhooks in parallel and reports the first rejection in their order', async () => {
    await configure('Validating', hook('a'), hook('b'), hook('c'));
    const answers = new Map<string, (response: object) => void>();
    caller.answer = (host) => new Promise((resolve) => answers.set(host, resolve));
    const created = create('x');
    await turns();
    expect([...answers.keys()]).toEqual(['a', 'b', 'c']);
    answers.get('c')?.({ allowed: false, status: { message: 'from c' } });
    answers.get('b')?.({ allowed: false, status: { message: 'from b' } });
    await turns();
    answers.get('a')?.({ allowed: true });
    expect((await created).text).toContain('from b');
    expect((await plane.send('GET', '/api/v1/namespaces/default/configmaps/x')).status).toBe(404);
  });

  it('calls mutating webhooks one after another', async () => {
    await configure('Mutating', hook('a'), hook('b'));
    const answers = new Map<string, (response: object) => void>();
    caller.answer = (host) => new Promise((resolve) => answers.set(host, resolve));
    const created = create('x');
    await turns();
    expect([...answers.keys()]).toEqual(['a']);
    answers.get('a')?.(patch({ op: 'add', path: '/metadata/labels', value: { a: 'yes' } }));
    await turns();
    expect([...answers.keys()]).toEqual(['a', 'b']);
    answers.get('b')?.({ allowed: true });
    expect(JSON.parse((await created).text).metadata.labels).toEqual({ a: 'yes' });
  });

  it('reinvokes webhooks at most once, however often they change the object', async () => {
    await configure(
      'Mutating',
      hook('a', { reinvocationPolicy: 'IfNeeded' }),
      hook('b', { reinvocationPolicy: 'IfNeeded' }),
    );
    let round = 0;
    caller.answer = () => Promise.resolve(patch({ op: 'add', path: '/data', value: { round: `${++round}` } }));
    expect((await create('x')).status).toBe(201);
    expect(caller.asked).toEqual(['a', 'b', 'a', 'b']);
  });

  it('ignores a webhook that times out if its failure policy is Ignore, and rejects the request otherwise', async () => {
    await configure('Validating', hook('late', { failurePolicy: 'Ignore' }));
    caller.answer = () => new Promise(() => {});
    const passed = create('x');
    await turns();
    await plane.clock.advance(2_000);
    expect((await passed).status).toBe(201);
    await plane.send('DELETE', `${registration}/validatingwebhookconfigurations/hooks`);
    await configure('Validating', hook('late'));
    const refused = create('y');
    await turns();
    await plane.clock.advance(2_000);
    expect((await refused).text).toContain('context deadline exceeded');
  });

  it('stops calling webhooks as soon as they are deleted, and never calls them about webhook configurations', async () => {
    const everything = [{ ...rules[0], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
    await configure('Validating', hook('never', { rules: everything }));
    caller.answer = () => Promise.resolve({ allowed: false });
    expect((await create('x')).status).toBe(400);
    const asked = caller.asked.length;
    expect((await plane.send('DELETE', `${registration}/validatingwebhookconfigurations/hooks`)).status).toBe(200);
    expect((await create('x')).status).toBe(201);
    expect(caller.asked).toHaveLength(asked);
  });

  it('survives hostile patches', async () => {
    await configure('Mutating', hook('hostile'));
    const patches = [
      { op: 'add', path: '/__proto__/polluted', value: 'yes' },
      { op: 'add', path: '/metadata/__proto__', value: { polluted: 'yes' } },
      { op: 'copy', from: '', path: '/data' },
      { op: 'remove', path: '' },
      { op: 'replace', path: '', value: [] },
      { op: 'replace', path: '/metadata', value: null },
    ];
    for (const [index, operation] of patches.entries()) {
      caller.answer = () => Promise.resolve(patch(operation));
      const { status } = await create(`x${index}`);
      expect([201, 422, 500], JSON.stringify(operation)).toContain(status);
      expect(({} as { polluted?: string }).polluted).toBeUndefined();
    }
    expect(plane.errors).toEqual([]);
  });

  it('survives warnings and status codes that HTTP cannot carry', async () => {
    await configure('Validating', hook('odd'));
    caller.answer = () =>
      Promise.resolve({
        allowed: false,
        warnings: ['a\r\nb', '✓ é', 5, null],
        status: { code: 'x', message: 7, details: [] },
      });
    const { status, warning } = await create('x');
    expect(status).toBe(400);
    // HTTP headers carry the UTF-8 bytes of the warning.
    expect(warning).toBe(`299 - "a b", 299 - "${Buffer.from('✓ é').toString('latin1')}"`);
  });

  it('records patches and the annotations of webhooks in the audit log', async () => {
    await configure('Mutating', hook('a', { reinvocationPolicy: 'IfNeeded' }), hook('b'));
    const annotations = { op: 'add', value: { a: '<1>' }, path: '/metadata/annotations' };
    caller.answer = (host) =>
      Promise.resolve({
        ...(host === 'a' ? patch(annotations) : patch({ op: 'test', path: '/metadata/name', value: 'x' })),
        auditAnnotations: { seen: 'yes', 'not/valid': 'no', '': 'no' },
      });
    expect((await create('x')).status).toBe(201);
    const mutation = (host: string, mutated: boolean): string =>
      JSON.stringify({ configuration: 'hooks', webhook: `${host}.example.com`, mutated });
    const change = (host: string, operation: string): string =>
      `{"configuration":"hooks","webhook":"${host}.example.com","patch":[${operation}],"patchType":"JSONPatch"}`;
    const added = '{"op":"add","path":"/metadata/annotations","value":{"a":"\\u003c1\\u003e"}}';
    expect(lastAnnotations()).toEqual({
      'a.example.com/seen': 'yes',
      'b.example.com/seen': 'yes',
      'mutation.webhook.admission.k8s.io/round_0_index_0': mutation('a', true),
      'mutation.webhook.admission.k8s.io/round_0_index_1': mutation('b', false),
      'patch.webhook.admission.k8s.io/round_0_index_0': change('a', added),
      'patch.webhook.admission.k8s.io/round_0_index_1': change(
        'b',
        '{"op":"test","path":"/metadata/name","value":"x"}',
      ),
    });
  });

  /** Returns the annotations of the last audit event, except those of the authorizer. */
  const lastAnnotations = (): object => {
    const annotations = events.at(-1)?.['annotations'] ?? {};
    return Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('authorization.')));
  };

  it('counts the outcomes of calls', async () => {
    await configure(
      'Validating',
      hook('counted', {
        failurePolicy: 'Ignore',
        matchConditions: [{ name: 'c', expression: 'object.metadata.name != "skipped"' }],
      }),
    );
    await create('skipped');
    await create('fine');
    caller.answer = () => Promise.resolve({ allowed: false, status: { code: 422 } });
    await create('bad');
    caller.answer = () => Promise.reject(new Error('no way'));
    await create('ignored');
    const lines = (await plane.send('GET', '/metrics')).text
      .split('\n')
      .filter((line) => line.includes('counted.example.com'));
    const labels = 'name="counted.example.com",operation="CREATE"';
    for (const line of [
      `apiserver_admission_webhook_request_total{code="200",${labels},rejected="false",type="validating"} 1`,
      `apiserver_admission_webhook_request_total{code="422",${labels},rejected="true",type="validating"} 1`,
      `apiserver_admission_webhook_request_total{code="503",${labels},rejected="false",type="validating"} 1`,
      `apiserver_admission_webhook_rejection_count{error_type="no_error",${labels},rejection_code="422",type="validating"} 1`,
      'apiserver_admission_webhook_fail_open_count{name="counted.example.com",type="validating"} 1',
      `apiserver_admission_match_condition_exclusions_total{kind="webhook",${labels},type="validating"} 1`,
      `apiserver_admission_webhook_admission_duration_seconds_count{${labels},rejected="false",type="validating"} 2`,
    ]) {
      expect(lines).toContain(line);
    }
  });
});
