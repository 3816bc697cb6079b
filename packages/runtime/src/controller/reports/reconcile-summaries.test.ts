import type { ObjectOf } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { defineKind } from '../../kind/define-kind.ts';
import { jsonLogger } from '../../log/json-logger.ts';
import type { LogLevel } from '../../log/logger.ts';
import { Manager } from '../../manager/manager.ts';
import { watch } from '../../source/source.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer } from '../../testdata/fake-api-server.ts';
import { controller } from '../definition/define-controller.ts';

const Site = defineKind<{ readonly text: string }, { readonly seen?: string }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});
const Page = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });
const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

function run(level: LogLevel, reconcile: Parameters<typeof controller<ObjectOf<typeof Site>>>[0]['reconcile']) {
  const server = new FakeApiServer([Site, Page, Event]);
  const lines: Record<string, unknown>[] = [];
  const log = jsonLogger({ level, destination: { write: (text) => void lines.push(JSON.parse(text)) } });
  const sites = controller({ for: Site, owns: [Page], reconcile: reconcile! });
  const manager = new Manager({
    client: server.client,
    log,
    handleSignals: false,
    watchdog: false,
    controllers: [sites],
  });
  void manager.run();
  const received = () => lines.filter(({ msg }) => msg === 'reconciled' || msg === 'reconcile failed');
  return { server, lines, received, manager };
}

describe('ReconcileSummaries', () => {
  it('logs what triggered a reconcile, what it wrote, and when it runs again', async () => {
    const { server, received, manager } = run('debug', async (object, ctx) => {
      const { name } = object.metadata;
      await ctx.apply({ apiVersion: 'example.com/v1', kind: 'Page', metadata: { name }, spec: object.spec } as never);
      await ctx.setStatus({ seen: object.spec.text });
      return { requeueAfterMs: 60_000 };
    });
    await manager.started();
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'one' } });
    await eventually(() => received().length >= 2);
    expect(received()[0]).toMatchObject({
      level: 'debug',
      name: 'a',
      because: ['Site default/a was created'],
      wrote: [
        { action: 'created', apiVersion: 'example.com/v1', kind: 'Page', namespace: 'default', name: 'a' },
        { action: 'changed', kind: 'Site', name: 'a', subresource: 'status' },
      ],
      nextInMs: 60_000,
    });
    // The reconcile's own write arrives as an event and triggers another reconcile.
    const causes = () => received().flatMap(({ because }) => because as string[]);
    await eventually(() => causes().includes('Page default/a was created (own write)'));
    await manager[Symbol.asyncDispose]();
  });

  it('logs a failure with its retry, and the retry with its reason', async () => {
    let tries = 0;
    const { server, received, manager, lines } = run('debug', () => {
      if (tries++ === 0) throw new Error('not yet');
      return Promise.resolve(undefined);
    });
    await manager.started();
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'one' } });
    await eventually(() => received().length === 2);
    expect(received()[0]).toMatchObject({ msg: 'reconcile failed', wrote: [], nextInMs: 5 });
    expect(received()[1]).toMatchObject({ msg: 'reconciled', because: ['the previous attempt failed'] });
    await manager[Symbol.asyncDispose]();
    const used = lines.find(({ msg }) => msg === 'permissions');
    expect(used?.['used']).toContainEqual({
      apiGroups: ['example.com'],
      resources: ['pages', 'sites'],
      verbs: ['watch'],
    });
  });

  it('logs what requested a delayed reconcile', async () => {
    const server = new FakeApiServer([Site, Page, Event]);
    const lines: Record<string, unknown>[] = [];
    const log = jsonLogger({ level: 'debug', destination: { write: (text) => void lines.push(JSON.parse(text)) } });
    const later = watch(Page, (_, { enqueue }) => enqueue({ namespace: 'default', name: 'a' }, { afterMs: 5 }));
    const sites = controller({ for: Site, watches: [later], reconcile: () => Promise.resolve(undefined) });
    const options = { client: server.client, log, handleSignals: false, watchdog: false, controllers: [sites] };
    const manager = new Manager(options);
    void manager.run();
    await manager.started();
    server.put(Page, { metadata: { name: 'p' }, spec: { text: 'one' } });
    const because = () => lines.filter(({ msg }) => msg === 'reconciled').map((line) => line['because']);
    await eventually(() => because().length === 1);
    expect(because()).toEqual([['Page default/p was created, earlier']]);
    await manager[Symbol.asyncDispose]();
  });

  it('logs nothing above level debug', async () => {
    const { server, lines, manager } = run('info', (_, ctx) => {
      ctx.log.info('ran');
      return Promise.resolve(undefined);
    });
    await manager.started();
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'one' } });
    await eventually(() => lines.some(({ msg }) => msg === 'ran'));
    await manager[Symbol.asyncDispose]();
    expect(lines.filter(({ level }) => level === 'debug')).toEqual([]);
  });
});
