import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import {
  FakeInfrastructure,
  reconcileOnce,
  TestEnvironment,
  TestOperator,
  toBeAbsent,
  toMatch,
} from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HelloWorld } from './api/v1/hello-world.ts';
import { composite } from './composite.ts';
import { sayGoodbye, sayHello } from './say-hello.ts';
import { type SyncHook, type SyncRequest, webhook } from './sync-hook.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };
const namespace = 'default';
const signal = AbortSignal.timeout(60_000);
// The Python hook needs Python 3. Without it, the hook's tests are skipped, or fail if KUBEWRIGHT_REQUIRE_ALL=1.
const hasPython = process.env['KUBEWRIGHT_REQUIRE_ALL'] === '1' || spawnSync('python3', ['--version']).status === 0;

const program = new URL('../hooks/sync.py', import.meta.url).pathname;
let python: ChildProcess | undefined;
let url = '';
beforeAll(async () => {
  if (!hasPython) return;
  python = spawn('python3', [program, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = await once(python.stdout!, 'data');
  url = `http://127.0.0.1:${String(port).trim()}/`;
});
afterAll(() => void python?.kill());

/** Returns the hooks of one implementation. */
type Hooks = () => { readonly sync: SyncHook<HelloWorld>; readonly finalize: SyncHook<HelloWorld> };
const hooks: readonly (readonly [string, Hooks])[] = [
  ['the function', () => ({ sync: sayHello, finalize: sayGoodbye })],
  ['the program in Python', () => ({ sync: webhook(url), finalize: webhook(url) })],
];

describe.each(hooks)('%s', (name, hook) => {
  const needsPython = name !== 'the function' && !hasPython;
  const parent = stored(HelloWorld({ metadata: { name: 'hello', namespace }, spec: { who: ['ada', 'grace'] } }));
  const pod = (name: string, phase: string) => {
    const containers = [{ name: 'hello', image: 'busybox' }];
    return [name, { ...Pod({ metadata: { name }, spec: { containers } }), status: { phase } }] as const;
  };
  const pods = Object.fromEntries([pod('hello-ada', 'Succeeded'), pod('hello-grace', 'Running')]);
  const container = (who: string) => ({ name: 'hello', image: 'busybox', command: ['echo', `Hello, ${who}!`] });

  it.skipIf(needsPython).each<[string, SyncRequest<HelloWorld>['children'], number]>([
    ['no pods yet', {}, 0],
    ['one pod that is done', { 'Pod.v1': pods }, 1],
  ])('wants one pod per name, with %s', async (_, children, greeted) => {
    const response = await hook().sync({ parent, children, finalizing: false }, { signal });
    expect(response.status).toEqual({ greeted });
    expect(response.children).toMatchObject([
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hello-ada' }, spec: { containers: [container('ada')] } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'hello-grace' }, spec: { containers: [container('grace')] } },
    ]);
  });

  it.skipIf(needsPython)('does not take the pod that said hello to "goodbye" for its last pod', async () => {
    const goodbye = { 'Pod.v1': Object.fromEntries([pod('hello-goodbye', 'Succeeded')]) };
    const response = await hook().finalize({ parent, children: goodbye, finalizing: true }, { signal });
    expect(response).toMatchObject({ finalized: false, children: [{ metadata: { name: 'hello.goodbye' } }] });
  });

  it.skipIf(needsPython)('creates, deletes and reports what it wants', async () => {
    const crd = new URL('../config/crd/bases/hooks.example.com_helloworlds.yaml', import.meta.url).pathname;
    await using environment = await TestEnvironment.start({
      manifests: [crd],
      components: FakeInfrastructure.components,
    });
    await using infrastructure = await FakeInfrastructure.start(environment);
    const { client } = environment;
    const controller = composite({ parent: HelloWorld, children: [Pod], ...hook() });
    await using operator = await TestOperator.start(client, { controllers: [controller] });
    await client.resource(HelloWorld).create(HelloWorld({ metadata: { name: 'hello', namespace }, spec: parent.spec }));
    const names = async () =>
      (await client.resource(Pod).list({ namespace })).items
        .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
        .map(({ metadata }) => metadata.name);
    await operator.eventually(names, toMatch(['hello-ada', 'hello-grace']), waitOptions);
    await infrastructure.succeed({ namespace, name: 'hello-ada' });
    const hello = { namespace, name: 'hello' };
    await operator.eventually(
      () => client.resource(HelloWorld).get(hello),
      toMatch({ status: { greeted: 1 } }),
      waitOptions,
    );
    const who = ['ada', 'barbara'];
    await client.resource(HelloWorld).patch(hello, { type: 'merge', body: { spec: { who } } });
    await operator.eventually(names, toMatch(['hello-ada', 'hello-barbara']), waitOptions);
    await client.resource(HelloWorld).delete(hello);
    await operator.eventually(names, toMatch(['hello.goodbye']), waitOptions);
    expect(await client.resource(HelloWorld).get(hello)).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0 } });
    await infrastructure.succeed({ namespace, name: 'hello.goodbye' });
    const all = async () => (await client.resource(HelloWorld).list({ namespace })).items;
    await operator.eventually(all, toBeAbsent(), waitOptions);
  });
});

describe('a finalize hook', () => {
  const hello = stored(HelloWorld({ metadata: { name: 'hello', namespace }, spec: { who: [] } }));
  const deleted = {
    ...hello,
    metadata: {
      ...hello.metadata,
      deletionTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['hooks.example.com/helloworld'],
    },
  };
  const finalizedBy = (finalize: SyncHook<HelloWorld>) =>
    reconcileOnce(composite({ parent: HelloWorld, children: [Pod], sync: sayHello, finalize }), { objects: [deleted] });

  it('is called again after a minute, or when it wants, until it is done', async () => {
    const { object, result } = await finalizedBy(() => ({ children: [] }));
    expect(object?.metadata.finalizers).toHaveLength(1);
    expect(result).toMatchObject({ requeueAfterMs: 60_000 });
    const sooner = await finalizedBy(() => ({ children: [], resyncAfterSeconds: 5 }));
    expect(sooner.result).toMatchObject({ requeueAfterMs: 5_000 });
  });

  it('writes its status, and releases the parent once it is done', async () => {
    const waiting = await finalizedBy(() => ({ children: [], status: { greeted: 7 } }));
    expect(waiting.status).toMatchObject({ greeted: 7 });
    const { object } = await finalizedBy(() => ({ children: [], finalized: true, resyncAfterSeconds: 5 }));
    expect(object).toBeUndefined();
  });
});

describe('webhook', () => {
  const responses: Record<string, readonly [number, string]> = {
    '/broken': [500, 'division by zero'],
    '/empty': [200, '{}'],
  };
  let server: Server;
  let base = '';
  beforeAll(async () => {
    server = createServer(({ url: path = '' }, response) => {
      const [status, body] = responses[path] ?? [404, ''];
      response.writeHead(status).end(body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server?.close());

  it.each([
    ['/broken', 'returned 500: division by zero'],
    ['/empty', 'has no list "children"'],
  ])('reports the response of %s', async (path, message) => {
    const parent = stored(HelloWorld({ metadata: { name: 'hello', namespace }, spec: { who: [] } }));
    await expect(webhook(base + path)({ parent, children: {}, finalizing: false }, { signal })).rejects.toThrow(
      message,
    );
  });
});
