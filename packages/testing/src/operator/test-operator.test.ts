import { systemClock } from '@kubewright/apimachinery';
import { ConfigMap, Namespace, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { TestEnvironment } from '@kubewright/controlplane';
import { controller } from '@kubewright/runtime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBeAbsent } from '../matchers/to-be-absent.ts';
import { toBeOwnedBy } from '../matchers/to-be-owned-by.ts';
import { toMatch } from '../matchers/to-match.ts';
import { consistently } from '../wait/consistently.ts';
import { eventually } from '../wait/eventually.ts';
import { TestOperator } from './test-operator.ts';

// The default is too short on a busy machine.
const patience = { timeoutMs: 30_000 };

/** Keeps a copy of each labeled ConfigMap. */
const copies = controller({
  for: ConfigMap,
  name: 'copies',
  async reconcile(object, ctx) {
    if (object.metadata.labels?.['copy'] !== 'yes') return;
    const copy = ConfigMap({ metadata: { name: `${object.metadata.name}-copy` }, data: object.data ?? {} });
    await ctx.apply(copy);
    ctx.log.info('copied', { mode: object.data?.['mode'] });
  },
});
const original = (mode: string) =>
  ConfigMap({ metadata: { name: 'settings', labels: { copy: 'yes' } }, data: { mode } });

describe('TestOperator', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start();
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  it('runs in the namespace of a test, with faults and a log', async () => {
    await using namespace = await environment.namespace();
    const { client, name } = namespace;
    await using operator = await TestOperator.start(environment.client, { controllers: [copies], namespaces: [name] });
    operator.faults.failNext({ verb: 'apply', kind: 'ConfigMap' }, { status: 500 });
    const created = await client.resource(ConfigMap).create(original('dark'));
    const copy = () => client.resource(ConfigMap).get({ name: 'settings-copy' });
    await eventually(copy, toMatch({ data: { mode: 'dark' } }), patience);
    await eventually(copy, toBeOwnedBy(created), patience);
    expect(operator.faults.pending).toEqual([]);
    expect(operator.faults.dropWatch({ kind: 'ConfigMap' })).toBe(1);
    const body = { data: { mode: 'light' } };
    await client.resource(ConfigMap).patch({ name: 'settings' }, { type: 'merge', body });
    await eventually(copy, toMatch({ data: { mode: 'light' } }), patience);
    expect(operator.log.join('\n')).toMatch(/an injected fault[\s\S]*copied/);
  });

  it('shows its log, and only its own, when one of its waits fails', async () => {
    await using namespace = await environment.namespace();
    const { client, name } = namespace;
    const copy = () => client.resource(ConfigMap).get({ name: 'settings-copy' });
    const options = { controllers: [copies], namespaces: [name] };
    await using operator = await TestOperator.start(environment.client, options);
    await using other = await TestOperator.start(environment.client, { controllers: [], namespaces: [name] });
    await client.resource(ConfigMap).create(original('dark'));
    await operator.eventually(copy, undefined, patience);
    const withLog = /still exists: ConfigMap [\s\S]*last version read[\s\S]*log of the operator:[\s\S]*copied/;
    const withoutLog = /still exists(?![\s\S]*copied)/;
    // The following waits fail at the first read, no matter how long the read takes.
    const { eventually: eventuallyOf } = operator;
    await expect(eventuallyOf(copy, toBeAbsent(), { timeoutMs: 0 })).rejects.toThrow(withLog);
    await expect(operator.consistently(copy, toBeAbsent())).rejects.toThrow(withLog);
    await expect(other.consistently(copy, toBeAbsent())).rejects.toThrow(withoutLog);
    await expect(consistently(copy, toBeAbsent())).rejects.toThrow(withoutLog);
  });

  it('runs under the identity of its client', async () => {
    await using namespace = await environment.namespace();
    const { name, client } = namespace;
    const impersonated = environment.client.with({ impersonate: { user: `system:serviceaccount:${name}:default` } });
    const starting = TestOperator.start(impersonated, {
      controllers: [copies],
      namespaces: [name],
      cacheSyncTimeoutMs: 1_000,
    });
    await expect(starting).rejects.toThrow(/cannot list|forbidden|cache/i);
    await expect(client.resource(ServiceAccount).get({ name: 'default' })).resolves.toBeDefined();
  });
});

describe('TestEnvironment.namespace', () => {
  it('deletes the namespace at the end of its block', async () => {
    await using environment = await TestEnvironment.start();
    const namespaces = environment.client.resource(Namespace);
    let name: string;
    {
      await using namespace = await environment.namespace();
      name = namespace.name;
      expect(namespace.client.defaultNamespace).toBe(name);
      await namespace.client.resource(ConfigMap).create(original('dark'));
    }
    await eventually(() => namespaces.get({ name }), toBeAbsent(), patience);
    await using deleted = await environment.namespace();
    await namespaces.delete({ name: deleted.name });
    await eventually(() => namespaces.get({ name: deleted.name }), toBeAbsent(), patience);
  });

  it('takes no longer than forty writes', async () => {
    await using environment = await TestEnvironment.start();
    const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
      const start = systemClock.monotonic();
      await work();
      return systemClock.monotonic() - start;
    };
    const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0;
    const [writes, namespaces]: [number[], number[]] = [[], []];
    while (namespaces.length < 15) {
      await using namespace = await environment.namespace();
      const maps = namespace.client.resource(ConfigMap);
      writes.push(await elapsed(() => maps.create(ConfigMap({ metadata: { name: 'a' } }))));
      const another = environment.namespace();
      namespaces.push(await elapsed(() => another));
      await (await another)[Symbol.asyncDispose]();
    }
    // Writes and namespaces are measured in turn, so a busy machine slows down both.
    expect(median(namespaces) / median(writes)).toBeLessThan(40);
  });

  it('does not wait for a service account that nothing creates', async () => {
    await using environment = await TestEnvironment.start({ components: ['apiserver'] });
    await using namespace = await environment.namespace();
    expect(namespace.name).toMatch(/^test-/);
  });
});
