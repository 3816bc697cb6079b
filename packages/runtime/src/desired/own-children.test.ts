import { type Kind, type KubernetesObject, type ObjectOf, VirtualClock } from '@kubewright/apimachinery';
import { stored } from '@kubewright/apimachinery/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { LoopContext } from '../reconcile/context.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import { childrenFirst } from './children-first.ts';
import type { DesiredState } from './desired-state.ts';
import { objectForm } from './object-form.ts';

const group = { group: 'example.com', version: 'v1' } as const;
const Site = defineKind<{ readonly pages: readonly string[] }, Record<string, unknown>>({ ...group, kind: 'Site' });
type Site = ObjectOf<typeof Site>;
const Page = defineKind<{ readonly text: string }>({ ...group, kind: 'Page' });
/** A kind of the same name in another group. */
const OtherPage = defineKind<{ readonly text: string }>({
  group: 'other.example.com',
  version: 'v1',
  kind: 'Page',
  plural: 'otherpages',
});

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});
function start(server: FakeApiServer, options: ManagerOptions): void {
  const manager = new Manager({
    client: server.client,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    ...options,
  });
  running.push(manager);
  manager.run().catch(() => {});
}
const pageFor = (name: string, kind: Kind<KubernetesObject> = Page): KubernetesObject & { readonly spec: object } => ({
  apiVersion: `${kind.group}/${kind.version}`,
  kind: 'Page',
  metadata: { name },
  spec: { text: name },
});
const put = (server: FakeApiServer, pages: readonly string[]): void => {
  const old = server.get(Site, 'a');
  server.put(Site, { ...old, metadata: { ...old?.metadata, name: 'a' }, spec: { pages } });
};
const deletions = (server: FakeApiServer): readonly string[] =>
  server.requests.filter((each) => each.startsWith('DELETE'));
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
};
const names = (server: FakeApiServer, kind: Kind<KubernetesObject> = Page): string[] =>
  server
    .list(kind)
    .map((each) => each.metadata.name)
    .sort();

describe("a controller's own children", () => {
  it('are the children it applied: two controllers of one kind that own the same kind do not interfere', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['x', 'y']);
    const pages = (name: string) =>
      controller({
        for: Site,
        name,
        owns: [Page],
        desired: ({ spec }) => ({ children: spec.pages.map((page) => pageFor(`${name}-${page}`)) }),
      });
    start(server, { controllers: [pages('left'), pages('right')] });
    await eventually(() => names(server).length === 4);
    await settled();
    expect(names(server)).toEqual(['left-x', 'left-y', 'right-x', 'right-y']);
    expect(deletions(server)).toEqual([]);
    put(server, ['y']);
    await eventually(() => names(server).length === 2);
    await settled();
    expect(names(server)).toEqual(['left-y', 'right-y']);
    expect(deletions(server)).toHaveLength(2);
  });

  it('do not include objects that another client created for the same owner', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, []);
    const ownerReferences = [
      {
        apiVersion: 'example.com/v1',
        kind: 'Site',
        name: 'a',
        uid: server.get(Site, 'a').metadata.uid,
        controller: true,
      },
    ];
    const managedFields = [{ manager: 'sites', operation: 'Update', subresource: 'status' }];
    server.put(Page, { metadata: { name: 'given', ownerReferences }, spec: { text: '' } });
    server.put(Page, { metadata: { name: 'status-only', ownerReferences, managedFields }, spec: { text: '' } });
    let runs = 0;
    const sites = controller({
      for: Site,
      name: 'sites',
      owns: [Page],
      desired: ({ spec }) => {
        runs++;
        return { children: spec.pages.map((page) => pageFor(page)) };
      },
    });
    start(server, { controllers: [sites] });
    await eventually(() => runs > 0);
    await settled();
    expect(names(server)).toEqual(['given', 'status-only']);
  });

  it('are deleted only if unchanged: a child that was released in the meantime stays', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['x', 'y']);
    server.interrupt = ({ url, verb }) => {
      const name = url.pathname.split('/').at(-1) ?? '';
      if (verb !== 'DELETE') return undefined;
      server.interrupt = undefined;
      const page = server.get(Page, name);
      server.put(Page, { ...page, metadata: { ...page.metadata, ownerReferences: [] } });
      return undefined;
    };
    start(server, {
      controllers: [
        controller({
          for: Site,
          owns: [Page],
          desired: ({ spec }) => ({ children: spec.pages.map((page) => pageFor(page)), requeueAfterMs: 3_600_000 }),
        }),
      ],
    });
    await eventually(() => names(server).length === 2);
    put(server, []);
    await eventually(() => names(server).length === 1);
    await settled();
    // The first page was released just before its deletion; the second page was unchanged and was deleted.
    expect(names(server)).toEqual(['x']);
    // The deletion of the first page is retried if the retry is faster than the watch event that reports the release.
    expect(new Set(deletions(server)).size).toBe(2);
  });

  it('are checked again and deleted if only an unrelated change happened', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    put(server, ['x']);
    server.interrupt = ({ verb }) => {
      if (verb !== 'DELETE') return undefined;
      server.interrupt = undefined;
      const page = server.get(Page, 'x');
      server.put(Page, { ...page, metadata: { ...page.metadata, labels: { seen: 'yes' } } });
      return undefined;
    };
    const desired = ({ spec }: Site): DesiredState<Site> => ({ children: spec.pages.map((page) => pageFor(page)) });
    start(server, { clock, controllers: [controller({ for: Site, owns: [Page], desired })] });
    await eventually(() => names(server).length === 1);
    put(server, []);
    await eventually(() => {
      void clock.advance(10);
      return names(server).length === 0;
    });
    expect(deletions(server)).toHaveLength(2);
  });

  it('are deleted only if unchanged, even before their owner', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    put(server, ['x']);
    const finalizers = { 'example.com/pages-first': childrenFirst(Page) };
    const desired = ({ spec }: Site): DesiredState<Site> => ({ children: spec.pages.map((page) => pageFor(page)) });
    start(server, { clock, controllers: [controller({ for: Site, owns: [Page], finalizers, desired })] });
    await eventually(() => names(server).length === 1);
    server.interrupt = ({ verb }) => {
      if (verb !== 'DELETE') return undefined;
      server.interrupt = undefined;
      const page = server.get(Page, 'x');
      server.put(Page, { ...page, metadata: { ...page.metadata, ownerReferences: [] } });
      return undefined;
    };
    server.delete(Site, 'a');
    await eventually(() => {
      void clock.advance(500);
      return server.get(Site, 'a') === undefined;
    });
    expect(names(server)).toEqual(['x']);
  });

  it('are deleted together with their own children, which the API server keeps by default for Jobs', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    const policies: unknown[] = [];
    const client = server.client.intercepted((call, next) => {
      const { body } = call.request;
      if (call.verb === 'delete') policies.push(JSON.parse(Buffer.from(body ?? '{}').toString()).propagationPolicy);
      return next(call);
    });
    put(server, ['x', 'y']);
    const finalizers = { 'example.com/pages-first': childrenFirst(Page) };
    const desired = ({ spec }: Site): DesiredState<Site> => ({ children: spec.pages.map((page) => pageFor(page)) });
    start(server, { clock, client, controllers: [controller({ for: Site, owns: [Page], finalizers, desired })] });
    await eventually(() => names(server).length === 2);
    put(server, ['y']);
    await eventually(() => names(server).length === 1);
    server.delete(Site, 'a');
    await eventually(() => {
      void clock.advance(500);
      return server.get(Site, 'a') === undefined;
    });
    expect(policies).toEqual(['Background', 'Background']);
  });

  it('may have the same name in two groups', async () => {
    const server = new FakeApiServer([Site, Page, OtherPage]);
    put(server, ['example.com', 'other.example.com']);
    const sites = controller({
      for: Site,
      owns: [Page, OtherPage],
      desired: ({ spec }) => ({
        children: [Page, OtherPage].filter((kind) => spec.pages.includes(kind.group)).map((kind) => pageFor('x', kind)),
        status: {},
      }),
    });
    start(server, { controllers: [sites] });
    await eventually(() => names(server).length === 1 && names(server, OtherPage).length === 1);
    put(server, ['example.com']);
    await eventually(() => names(server, OtherPage).length === 0);
    await settled();
    expect(names(server)).toEqual(['x']);
  });
});

describe('the state that a reconcile returns', () => {
  // For a state without children, the context is only used to read the object from the cache.
  const context = { cache: { peek: () => undefined }, appliedIds: new Set() } as unknown as LoopContext;
  const site = stored(Site({ metadata: { name: 'a', namespace: 'default' }, spec: { pages: [] } }));

  it.each<[DesiredState, unknown]>([
    [{}, undefined],
    [{ requeue: true }, { requeue: true }],
    [
      { requeue: true, priority: -10 },
      { requeue: true, priority: -10 },
    ],
    [
      { requeueAfterMs: 5, priority: 7 },
      { requeueAfterMs: 5, priority: 7 },
    ],
    [
      { requeueAfterMs: 0, requeue: true },
      { requeueAfterMs: 0, requeue: true },
    ],
  ])('may request another run like any result: %j', async (result, outcome) => {
    const state = { ...result, children: [] };
    const run = { level: 'object', reconcile: async () => state } as const;
    const acting = objectForm({ run, primary: Site, owns: [], fieldManager: 'site' });
    expect(await acting.reconcile(site, context)).toEqual(outcome);
  });

  it('queries the server for children that a lost response left unknown', async () => {
    const asked: unknown[] = [];
    const owning = {
      ...context,
      cache: { peek: () => undefined, holds: () => true },
      observed: { list: () => [] },
      list: async (...query: unknown[]) => {
        asked.push(query);
        return [];
      },
    } as unknown as LoopContext;
    const run = { level: 'object', reconcile: async () => ({ children: [] }) } as const;
    await objectForm({ run, primary: Site, owns: [Page], fieldManager: 'site' }).reconcile(site, owning);
    expect(asked).toEqual([[Page, { namespace: 'default', limit: 0 }]]);
  });

  it('runs again with backoff on request', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page], { clock });
    put(server, ['x']);
    let runs = 0;
    const sites = controller({
      for: Site,
      owns: [Page],
      async reconcile({ spec }) {
        return { children: spec.pages.map((page) => pageFor(page)), requeue: ++runs < 5 };
      },
    });
    start(server, { clock, controllers: [sites] });
    await eventually(() => {
      void clock.advance(10);
      return runs >= 5;
    });
  });
});
