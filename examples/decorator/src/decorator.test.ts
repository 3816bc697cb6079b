import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StatefulSet } from '@kubewright/apimachinery/apps/v1';
import { Service } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { reconcileOnce, TestEnvironment, TestOperator, toBeAbsent, toMatch } from '@kubewright/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decorator } from './decorator.ts';
import { portAnnotation, removeServices, servicePerPod, wantsServices } from './service-per-pod.ts';
import { type DecorateHook, type DecorateResponse, webhook } from './sync-hook.ts';

// The default is too short for a busy machine.
const waitOptions = { timeoutMs: 30_000 };
const namespace = 'default';
const noted = 'service-per-pod.example.com/services';
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

function statefulSet(annotations: Readonly<Record<string, string>>): StatefulSet {
  const labels = { app: 'web' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'busybox' }] } };
  const spec = { replicas: 2, serviceName: 'web', selector: { matchLabels: labels }, template };
  return StatefulSet({ metadata: { name: 'web', namespace, annotations }, spec });
}

describe('wantsServices', () => {
  it('selects StatefulSets with the annotation', () => {
    expect([{}, { [portAnnotation]: '80' }].map((each) => wantsServices(stored(statefulSet(each))))).toEqual([
      false,
      true,
    ]);
  });
});

type Hook = DecorateHook<StatefulSet>;
const hooks: readonly (readonly [string, () => Hook, () => Hook])[] = [
  ['the functions', () => servicePerPod, () => removeServices],
  ['the program in Python', () => webhook(url), () => webhook(url)],
];

describe.each(hooks)('%s', (name, hook, finalize) => {
  const needsPython = name !== 'the functions' && !hasPython;

  it.skipIf(needsPython)('wants one service per pod', async () => {
    const object = stored(statefulSet({ [portAnnotation]: '80' }));
    const { annotations, attachments } = await hook()(
      { object, attachments: {}, finalizing: false },
      { signal: AbortSignal.timeout(20_000) },
    );
    expect(annotations).toEqual({ [noted]: '2' });
    const service = (pod: string) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: pod },
      spec: { selector: { 'statefulset.kubernetes.io/pod-name': pod }, ports: [{ port: 80 }] },
    });
    expect(attachments).toEqual([service('web-0'), service('web-1')]);
  });

  it.skipIf(needsPython)('keeps a deleted object until its services are gone', async () => {
    const object = stored(statefulSet({}));
    const finalizeWith = (services: object) =>
      finalize()(
        { object, attachments: { 'Service.v1': services as Record<string, Service> }, finalizing: true },
        { signal: AbortSignal.timeout(20_000) },
      );
    expect(await finalizeWith({ 'web-0': {} })).toEqual({ attachments: [], finalized: false });
    expect(await finalizeWith({})).toEqual({ attachments: [], finalized: true });
  });

  it.skipIf(needsPython)('decorates an object, and removes the decoration with the annotation', async () => {
    await using environment = await TestEnvironment.start();
    const { client } = environment;
    const options = { name: 'service-per-pod', for: StatefulSet, selects: wantsServices, attachments: [Service] };
    const controllers = [decorator({ ...options, sync: hook(), finalize: finalize() })];
    await using operator = await TestOperator.start(client, { controllers });
    const key = { namespace, name: 'web' };
    const services = async () =>
      (await client.resource(Service).list({ namespace })).items
        .map(({ metadata }) => metadata.name)
        .filter((each) => each !== 'kubernetes');
    const annotations = async () => (await client.resource(StatefulSet).get(key)).metadata.annotations ?? {};

    await client.resource(StatefulSet).create(statefulSet({}));
    const writes = async () => (await reconcileOnce(controllers[0]!, { client, object: key })).writes;
    expect(await writes()).toEqual([]);
    const body = (value: string | null) => ({ metadata: { annotations: { [portAnnotation]: value } } });
    await client.resource(StatefulSet).patch(key, { type: 'merge', body: body('80') });
    await operator.eventually(services, toMatch(['web-0', 'web-1']), waitOptions);
    await operator.eventually(annotations, toMatch({ [portAnnotation]: '80', [noted]: '2' }), waitOptions);
    expect(await writes()).toEqual([]);
    await client.resource(StatefulSet).patch(key, { type: 'merge', body: { spec: { replicas: 3 } } });
    await operator.eventually(services, toMatch(['web-0', 'web-1', 'web-2']), waitOptions);
    await client.resource(StatefulSet).patch(key, { type: 'merge', body: body(null) });
    await operator.eventually(services, toBeAbsent(), waitOptions);
    await operator.eventually(annotations, (found) => expect(found).toEqual({}), waitOptions);
    const finalizers = async () => (await client.resource(StatefulSet).get(key)).metadata.finalizers;
    await operator.eventually(finalizers, toMatch(undefined), waitOptions);
    expect(await writes()).toEqual([]);

    await client.resource(StatefulSet).patch(key, { type: 'merge', body: body('80') });
    await operator.eventually(services, toMatch(['web-0', 'web-1', 'web-2']), waitOptions);
    expect(await finalizers()).toEqual(['hooks.example.com/service-per-pod']);
    await client.resource(StatefulSet).delete(key);
    await operator.eventually(() => client.resource(StatefulSet).get(key), toBeAbsent(), waitOptions);
    expect(await services()).toEqual([]);
  });
});

describe('webhook', () => {
  let server: Server;
  let base = '';
  const received: (string | undefined)[] = [];
  const responses: Readonly<Record<string, object>> = {
    '/labels': { labels: { app: 'web', old: null } },
    '/wrong': { attachments: {} },
    '/status': { attachments: [], status: { replicas: 1 } },
  };
  beforeAll(async () => {
    server = createServer(({ url: path = '', headers }, response) => {
      received.push(headers['content-type']);
      response.end(JSON.stringify(responses[path]));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => void server?.close());
  const call = (path: string) =>
    webhook(base + path)(
      { object: stored(statefulSet({})), attachments: {}, finalizing: false },
      { signal: AbortSignal.timeout(20_000) },
    );

  it('sends JSON as its content type says', async () => {
    await call('/labels');
    expect(received).toEqual(['application/json']);
  });

  it.each([
    ['/wrong', '"attachments" that are not a list'],
    ['/status', 'returned a status'],
  ])('rejects the response of %s', async (path, message) => {
    await expect(call(path)).rejects.toThrow(message);
  });
});

describe('a hook that returns only labels', () => {
  it('sets them, removes those that are null, and leaves the attachments', async () => {
    await using environment = await TestEnvironment.start();
    const { client } = environment;
    const key = { namespace, name: 'web' };
    await client.resource(StatefulSet).create(statefulSet({}));
    const services = client.resource(Service);
    const decorate = async (response: DecorateResponse) => {
      const options = { name: 'labels', for: StatefulSet, selects: () => true, attachments: [Service] };
      const { result } = await reconcileOnce(decorator({ ...options, sync: () => response }), { client, object: key });
      return result;
    };
    const service = Service({ metadata: { name: 'web-0' }, spec: { ports: [{ port: 80 }] } });
    await decorate({ labels: { one: '1', two: '2' }, attachments: [service] });
    const result = await decorate({ labels: { one: '1', two: null }, resyncAfterSeconds: 5 });
    expect((await client.resource(StatefulSet).get(key)).metadata.labels).toEqual({ one: '1' });
    expect((await services.get({ namespace, name: 'web-0' })).metadata.deletionTimestamp).toBeUndefined();
    expect(result).toMatchObject({ requeueAfterMs: 5_000 });
    await decorate({ attachments: [] });
    await expect(services.get({ namespace, name: 'web-0' })).rejects.toThrow('not found');
  });
});
