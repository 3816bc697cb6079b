import { isConflict, VirtualClock } from '@kubewright/apimachinery';
import { ConfigMap } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import { TestEnvironment } from '@kubewright/controlplane';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Faults } from './faults.ts';

const metadata = { name: 'settings', namespace: 'default' };
const patch = (mode: string) => ({ type: 'merge', body: { data: { mode } } }) as const;

describe('Faults', () => {
  let environment: TestEnvironment;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ components: ['apiserver'] });
    await environment.client.resource(ConfigMap).create(ConfigMap({ metadata, data: { mode: 'dark' } }));
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());

  let faults: Faults;
  let clock: VirtualClock;
  let flaky: KubernetesClient;
  beforeEach(() => {
    clock = new VirtualClock();
    faults = new Faults({ clock });
    flaky = environment.client.intercepted(faults.interceptor);
  });
  const stored = async () => (await environment.client.resource(ConfigMap).get(metadata)).data?.['mode'];

  it('fails the next matching call, once', async () => {
    const before = await stored();
    faults.failNext({ verb: 'patch', kind: 'ConfigMap', name: 'settings' }, { status: 422 });
    expect(faults.pending).toEqual(['failNext patch ConfigMap settings']);
    await flaky.resource(ConfigMap).get(metadata);
    const write = () => flaky.resource(ConfigMap).patch(metadata, patch('light'));
    await expect(write()).rejects.toMatchObject({ httpStatus: 422, reason: 'Invalid' });
    expect(await stored()).toBe(before);
    expect(faults.pending).toEqual([]);
    await write();
    expect(await stored()).toBe('light');
  });

  it('fails as often as requested', async () => {
    faults.failNext({ verb: 'create' }, { status: 403, times: 2 });
    const create = () =>
      flaky.resource(ConfigMap).create(ConfigMap({ metadata: { generateName: 'x-', namespace: 'default' } }));
    await expect(create()).rejects.toMatchObject({ reason: 'Forbidden' });
    await expect(create()).rejects.toMatchObject({ reason: 'Forbidden' });
    await create();
  });

  it('loses a response after the server has handled the call', async () => {
    faults.failNext({ verb: 'patch' }, { lost: true });
    const write = flaky.resource(ConfigMap).patch(metadata, patch('lost'));
    await expect(write).rejects.toMatchObject({ code: 'KW2003', sent: true });
    expect(await stored()).toBe('lost');
  });

  it("rejects the next write with the API server's conflict", async () => {
    faults.conflict({ kind: 'ConfigMap' });
    const object = await flaky.resource(ConfigMap).get(metadata);
    const write = () => flaky.resource(ConfigMap).update(object);
    const error: unknown = await write().catch((caught: unknown) => caught);
    expect(isConflict(error)).toBe(true);
    expect((error as Error).message).toBe(
      'Operation cannot be fulfilled on configmaps "settings": the object has been modified; please apply your changes to the latest version and try again',
    );
    await write();
  });

  it('delays a call on its clock', async () => {
    faults.delay({ verb: 'get' }, { ms: 2_000 });
    let isDone = false;
    const read = flaky
      .resource(ConfigMap)
      .get(metadata)
      .then(() => (isDone = true));
    await clock.advance(1_999);
    expect(isDone).toBe(false);
    await clock.advance(1);
    await read;
  });

  it('drops open watches', async () => {
    const open = async (namespace: string) => {
      const scope = { namespace, fieldSelector: { 'metadata.name': 'settings' } };
      const watch = flaky.resource(ConfigMap).watch(scope)[Symbol.asyncIterator]();
      return { watch, first: await watch.next() };
    };
    const { watch, first } = await open('default');
    expect(first.value).toMatchObject({ type: 'ADDED' });
    expect(faults.dropWatch({ kind: 'Secret' })).toBe(0);
    // The watch may have received a bookmark before it was dropped.
    const ended = (async () => {
      while (!(await watch.next()).done);
    })();
    expect(faults.dropWatch({ kind: 'ConfigMap' })).toBe(1);
    await expect(ended).rejects.toMatchObject({ code: 'KW2003', retryable: true });
    expect(faults.dropWatch()).toBe(0);
    const again = await open('default');
    await again.watch.return?.();
    expect(faults.dropWatch()).toBe(0);
  });
});
