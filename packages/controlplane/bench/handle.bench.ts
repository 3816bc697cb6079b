import { seededRandom, systemClock } from '@kubewright/apimachinery';
import {
  type ApiRequest,
  type ApiResponse,
  ApiServer,
  MemoryStorage,
  MutableCatalog,
  namespaceLifecycle,
} from '@kubewright/apiserver';
import { afterAll, bench, describe } from 'vitest';
import { builtinDefinitions } from '../src/kinds/index.ts';

// Budget on one core: create ≤ 300 µs (target: 120 µs), list of 4,000 objects ≤ 15 ms.

const storage = new MemoryStorage({ clock: systemClock });
const random = seededRandom(1);
const server = new ApiServer({
  storage,
  clock: systemClock,
  random,
  catalog: new MutableCatalog(builtinDefinitions({ clock: systemClock, random })),
  authenticators: [{ authenticate: async () => ({ username: 'admin', groups: ['system:masters'] }) }],
  authorizer: { authorize: async () => ({ decision: 'allow', reason: '' }) },
  admissionPlugins: [namespaceLifecycle({ storage })],
});
const signal = new AbortController().signal;
const connection = { remoteAddress: '127.0.0.1', protocol: 'in-process' } as const;

function send(method: string, path: string, body?: unknown, type = 'application/json'): Promise<ApiResponse> {
  const request: ApiRequest = {
    method,
    path,
    headers: { 'user-agent': 'bench/1', 'content-type': type, accept: 'application/json' },
    body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    signal,
    connection,
  };
  return server.handle(request);
}

async function expectStatus(response: Promise<ApiResponse>, status: number): Promise<void> {
  const result = await response;
  if (result.status !== status) throw new Error(`expected ${status}: ${Buffer.from(result.body as Uint8Array)}`);
}

const data: Record<string, string> = {};
for (let i = 0; i < 8; i++) data[`key-${i}`] = 'x'.repeat(110);
const path = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string): unknown => ({
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name, labels: { app: 'bench' } },
  data,
});

await expectStatus(send('POST', '/api/v1/namespaces', { metadata: { name: 'default' } }), 201);
await expectStatus(send('POST', '/api/v1/namespaces', { metadata: { name: 'listed' } }), 201);
for (let i = 0; i < 4000; i++) {
  await expectStatus(send('POST', '/api/v1/namespaces/listed/configmaps', configMap(`cm-${i}`)), 201);
}
await expectStatus(send('POST', path, configMap('read')), 201);
let next = 0;

describe('handle', () => {
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await storage[Symbol.asyncDispose]();
  });
  bench('create a ConfigMap of 1 KB', () => expectStatus(send('POST', path, configMap(`c-${next++}`)), 201));
  bench('get', () => expectStatus(send('GET', `${path}/read`), 200));
  bench('merge patch', () =>
    expectStatus(send('PATCH', `${path}/read`, { data: { k: String(next++) } }, 'application/merge-patch+json'), 200),
  );
  bench('list 4,000', () => expectStatus(send('GET', '/api/v1/namespaces/listed/configmaps'), 200));
  bench('list 4,000 by label', () =>
    expectStatus(send('GET', '/api/v1/namespaces/listed/configmaps?labelSelector=app%3Dbench'), 200),
  );
});
