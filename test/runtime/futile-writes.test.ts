import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isNotFound, type ObjectOf } from '@kubewright/apimachinery';
import { ConfigMap, Event, Pod } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import {
  type ControllerDefinition,
  channelSource,
  controller,
  defineKind,
  EventChannel,
  enqueueRequest,
  jsonLogger,
  Manager,
  type ManagerOptions,
  requestController,
} from '@kubewright/runtime';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Environment, isExisting, startEnvironment } from '../environment/environment.ts';

interface EchoStatus {
  readonly at?: string;
  readonly version?: string;
  readonly count?: number;
  readonly unknown?: string;
}
// The plural that is derived from the kind is deliberately wrong. The manager must ask the server for it.
const Echo = defineKind<{ readonly message: string }, EchoStatus>({
  group: 'example.com',
  version: 'v1',
  kind: 'Echo',
});
type Echo = ObjectOf<typeof Echo>;

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'echoes.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Echo', plural: 'echoes', singular: 'echo' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { message: { type: 'string' } } },
              status: {
                type: 'object',
                properties: { at: { type: 'string' }, version: { type: 'string' }, count: { type: 'integer' } },
              },
            },
          },
        },
      },
    ],
  },
};

// Not covered: objects that are not in a cache, raw requests, and loops that create and delete objects. The test of writes
// that must not be reported compares with a naive detector, which counts the writes of a controller.

describe('detection of futile writes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kw-futile-'));
  let environment: Environment;
  let client: KubernetesClient;
  const running: Manager[] = [];

  beforeAll(async () => {
    environment = await startEnvironment(folder);
    ({ client } = environment);
    await client.request({ method: 'POST', path: definitions, body: definition });
    interface Established {
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    }
    const established = async (): Promise<unknown> => {
      const { status } = await client.request<Established>({ path: `${definitions}/echoes.example.com` });
      return status?.conditions?.find((each) => each.type === 'Established')?.status;
    };
    await vi.waitUntil(async () => (await established()) === 'True', { timeout: 30_000 });
  });
  afterEach(async () => {
    for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
  });
  afterAll(async () => {
    if (isExisting()) await leaveNothing();
    await environment[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Deletes the test's objects, because the next test needs an unchanged cluster. */
  async function leaveNothing(): Promise<void> {
    const path = `${definitions}/echoes.example.com`;
    await client.request({ method: 'DELETE', path });
    await client.request({ method: 'DELETE', path: '/api/v1/namespaces/default/events' });
    const isGone = (): Promise<boolean> => client.request({ path }).then(() => false, isNotFound);
    await vi.waitUntil(isGone, { timeout: 30_000 });
  }

  async function start(one: ControllerDefinition, options: ManagerOptions = {}) {
    const lines: Record<string, unknown>[] = [];
    const log = jsonLogger({ destination: { write: (text) => void lines.push(JSON.parse(text)) } });
    const manager = new Manager({ controllers: [one], client, log, handleSignals: false, watchdog: false, ...options });
    running.push(manager);
    manager.run().catch(() => undefined); // stopped by the test
    await manager.started();
    const findings = () => lines.filter((line) => line['level'] === 'warn' && line['path'] !== undefined);
    return { manager, findings };
  }
  // Uses the manager's client, because the manager has asked the server for the plural.
  const create = (manager: Manager, name: string): Promise<Echo> =>
    manager.client.resource(Echo).create({
      apiVersion: 'example.com/v1',
      kind: 'Echo',
      metadata: { name, namespace: 'default' },
      spec: { message: 'm' },
    });
  const events = async (name: string): Promise<readonly string[]> => {
    const { items } = await client.resource(Event).list({ namespace: 'default' });
    return items
      .filter((each) => each.involvedObject.name === name && each.type === 'Warning')
      .map((each) => `${each.reason}: ${each.message}`);
  };

  it.each<[string, string, (echo: Echo, count: number) => EchoStatus]>([
    ['a time', '.status.at', (_, count) => ({ at: new Date(count).toISOString() })],
    ['its own resourceVersion', '.status.version', ({ metadata }) => ({ version: metadata.resourceVersion ?? '' })],
    ['a counter', '.status.count', (_, count) => ({ count })],
  ])(
    'reports %s in the status that makes a reconcile trigger itself: in the log, an event and a metric',
    async (what, path, status) => {
      const name = `loop-${what.replaceAll(/\W/g, '').toLowerCase()}`;
      let count = 0;
      const loop = controller({
        for: Echo,
        name,
        async reconcile(echo, ctx) {
          if (echo.metadata.name === name && count++ < 30) await ctx.setStatus(status(echo, count));
        },
      });
      const { manager, findings } = await start(loop, { metricsBindAddress: '127.0.0.1:0' });
      await create(manager, name);
      await expect
        .poll(findings, { timeout: 30_000 })
        .toMatchObject([{ object: `Echo default/${name}`, path, times: 5 }]);
      await expect.poll(() => events(name), { timeout: 30_000 }).toEqual([expect.stringMatching(/^HotLoop: /)]);
      const metrics = await (await fetch(`http://127.0.0.1:${manager.ports.metrics}/metrics`)).text();
      const total = new RegExp(`kubewright_self_triggered_total\\{controller="${name}"\\} (\\d+)`).exec(metrics)?.[1];
      expect(Number(total)).toBeGreaterThanOrEqual(4);
    },
  );

  it('reports a field that two writers keep overwriting, with the name of the other writer', async () => {
    const name = 'conflict';
    const quarrel = controller({
      for: Echo,
      name,
      owns: [ConfigMap],
      desired: (echo) => ({
        children: [
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: echo.metadata.name }, data: { mode: 'ours' } },
        ],
      }),
    });
    const { manager, findings } = await start(quarrel);
    await create(manager, name);
    const key = { namespace: 'default', name };
    const mode = async (): Promise<string | undefined> =>
      (
        await client
          .resource(ConfigMap)
          .get(key)
          .catch(() => undefined)
      )?.data?.['mode'];
    for (let round = 0; round < 8 && findings().length === 0; round++) {
      await expect.poll(mode, { timeout: 30_000 }).toBe('ours');
      await client
        .resource(ConfigMap)
        .patch(key, { type: 'merge', body: { data: { mode: 'theirs' } } }, { fieldManager: 'somebody-else' });
    }
    await expect
      .poll(findings, { timeout: 30_000 })
      .toMatchObject([
        { object: `ConfigMap default/${name}`, path: '.data.mode', managers: ['somebody-else (Update)'] },
      ]);
    await expect.poll(() => events(name), { timeout: 30_000 }).toEqual([expect.stringContaining('somebody-else')]);
  });

  it('reports repeated writes that change nothing, with the path of the normalized field', async () => {
    const name = 'noop';
    let runs = 0;
    // The server normalizes both limits to "1", so every apply is sent and changes nothing.
    const pod = (cpu: string): Pod => {
      const container = { name: 'c', image: 'busybox', resources: { limits: { cpu } } };
      return Pod({ metadata: { name }, spec: { containers: [container] } });
    };
    const vain = controller({
      for: Echo,
      name,
      owns: [Pod],
      desired: (echo) =>
        echo.metadata.name === name && runs++ < 20
          ? { children: [pod(runs % 2 === 0 ? '1000m' : '1000000u')], requeueAfterMs: 5 }
          : { requeueAfterMs: 60_000 },
    });
    const { manager, findings } = await start(vain);
    await create(manager, name);
    const path = '.spec.containers[name=c].resources.limits.cpu';
    await expect.poll(findings, { timeout: 30_000 }).toMatchObject([{ object: `Pod default/${name}`, path, times: 5 }]);
  });

  it('reports on the written object if the requests of a controller are not objects', async () => {
    const name = 'requested';
    const key = { namespace: 'default', name };
    const requests = new EventChannel<{ readonly name: string }>();
    let runs = 0;
    const vain = requestController({
      name,
      caches: [Echo],
      sources: [channelSource({ name: 'requests', events: requests, handler: enqueueRequest })],
      async reconcile(_, ctx) {
        await ctx.client.resource(Echo).patch(key, { type: 'merge', body: { spec: { message: 'm' } } });
        return runs++ < 20 ? { requeueAfterMs: 5 } : undefined;
      },
    });
    const { manager, findings } = await start(vain);
    await create(manager, name);
    await requests.send({ name });
    await expect.poll(findings, { timeout: 30_000 }).toMatchObject([{ object: `Echo default/${name}`, times: 5 }]);
    await expect.poll(() => events(name), { timeout: 30_000 }).toEqual([expect.stringMatching(/^NoOpWrites: /)]);
  });

  it('does not report gradual progress, reconciles every few milliseconds, or reactions to changes by others', async () => {
    const name = 'calm';
    let looks = 0;
    const calm = controller({
      for: Echo,
      name,
      owns: [ConfigMap],
      async reconcile(echo, ctx) {
        if (echo.metadata.name !== name) return undefined;
        const made = ctx.observed.list(ConfigMap).length;
        // Creates one child per reconcile. Each child triggers the next reconcile.
        if (made < 12) await ctx.apply<ConfigMap>(ConfigMap({ metadata: { name: `${name}-${made}` } }));
        await ctx.setStatus({ count: Number(echo.spec.message) || 0 });
        return looks++ < 40 ? { requeueAfterMs: 5 } : undefined;
      },
    });
    // A naive detector would count consecutive writes of a controller.
    let written = 0;
    const counted = client.intercepted(async (call, next) => {
      if (call.verb === 'apply') written++;
      return next(call);
    });
    const { manager, findings } = await start(calm, { client: counted });
    await create(manager, name);
    const echoes = manager.client.resource(Echo);
    const key = { namespace: 'default', name };
    for (let round = 1; round <= 12; round++) {
      await echoes.patch(key, { type: 'merge', body: { spec: { message: String(round) } } });
      await expect.poll(async () => (await echoes.get(key)).status?.count, { timeout: 30_000 }).toBe(round);
    }
    await expect.poll(() => looks, { timeout: 30_000 }).toBeGreaterThan(40);
    expect(findings()).toEqual([]);
    expect(written).toBeGreaterThan(5);
  });

  it.each<[string, (thrown: (error: unknown) => void) => ControllerDefinition]>([
    [
      'setStatus',
      (thrown) =>
        controller({
          for: Echo,
          name: 'undeclared-setstatus',
          reconcile: (_, ctx) => ctx.setStatus({ count: 1, unknown: 'x' }).catch(thrown),
        }),
    ],
    [
      'desired',
      () => controller({ for: Echo, name: 'undeclared-desired', desired: () => ({ status: { unknown: 'x' } }) }),
    ],
  ])('rejects a status field that the schema does not declare: %s names the status type', async (_, define) => {
    const messages: string[] = [];
    const definition = define((error) => void messages.push(String(error)));
    const log = jsonLogger({
      destination: { write: (text) => void messages.push(String(JSON.parse(text).error ?? '')) },
    });
    const { manager } = await start(definition, { log });
    await create(manager, definition.name);
    const expected = `cannot set the status of Echo ${definition.name} (example.com/v1): its CustomResourceDefinition does not declare status.unknown; add this field to the status type of Echo`;
    await expect.poll(() => messages.find((each) => each.includes(expected)), { timeout: 30_000 }).toBeDefined();
  });

  it('omits conditions if the schema does not declare them, in one request', async () => {
    const name = 'bare';
    const bare = controller({
      for: Echo,
      name,
      desired: (echo) => (echo.metadata.name === name ? { status: { count: 1 } } : {}),
    });
    const { manager, findings } = await start(bare);
    await create(manager, name);
    const read = () => manager.client.resource(Echo).get({ namespace: 'default', name });
    await expect.poll(async () => (await read()).status, { timeout: 30_000 }).toEqual({ count: 1 });
    expect(findings()).toEqual([]);
  });
});
