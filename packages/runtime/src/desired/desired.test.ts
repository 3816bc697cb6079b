import { type ObjectOf, VirtualClock } from '@kubewright/apimachinery';
import { PersistentVolumeClaim } from '@kubewright/apimachinery/core/v1';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ManagerOptions } from '../manager/manager-options.ts';
import type { Observed } from '../reconcile/observed-children.ts';
import { TerminalError } from '../reconcile/terminal-error.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer, failure } from '../testdata/fake-api-server.ts';
import { childrenFirst } from './children-first.ts';
import { after, type DesiredState } from './desired-state.ts';

interface SiteStatus {
  readonly pages?: number;
  readonly phase?: string;
  readonly observedGeneration?: number;
  readonly conditions?: readonly unknown[];
}
const group = { group: 'example.com', version: 'v1' } as const;
const Site = defineKind<{ readonly pages: readonly string[] }, SiteStatus>({ ...group, kind: 'Site' });
type Site = ObjectOf<typeof Site>;
const Page = defineKind<{ readonly text: string }, { readonly conditions?: readonly unknown[] }>({
  ...group,
  kind: 'Page',
});
type Page = ObjectOf<typeof Page>;
const Event = { group: 'events.k8s.io', version: 'v1', kind: 'Event', plural: 'events', scope: 'Namespaced' } as const;

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});
function start(server: FakeApiServer, options: ManagerOptions): Manager {
  const common = { client: server.client, log: silentLogger, handleSignals: false, watchdog: false };
  const manager = new Manager({ ...common, ...options });
  running.push(manager);
  manager.run().catch(() => {});
  return manager;
}
const pageFor = (name: string): Page => ({
  apiVersion: 'example.com/v1',
  kind: 'Page',
  metadata: { name },
  spec: { text: name },
});
const put = (server: FakeApiServer, pages: readonly string[], name = 'a') => {
  const old = server.get(Site, name);
  return server.put(Site, { ...old, metadata: { ...old?.metadata, name }, spec: { pages } });
};
const conditions = (server: FakeApiServer): Record<string, string> => {
  const list = server.get(Site, 'a')?.status?.conditions ?? [];
  return Object.fromEntries(list.map((each: { type: string; status: string }) => [each.type, each.status]));
};
const writes = (server: FakeApiServer): number => server.requests.filter((each) => !/^(GET|watch)/.test(each)).length;
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 200; turn++) await new Promise(setImmediate);
};

const sites = (desired: (site: Site, observed: Observed) => DesiredState<Site>) =>
  controller({ for: Site, owns: [Page], desired });

describe('desired', () => {
  it('applies children and status, prunes, and sends nothing once everything is up to date', async () => {
    const server = new FakeApiServer([Site, Page, Event]);
    const stranger = { metadata: { name: 'stranger', ownerReferences: [{ uid: 'other', controller: true }] } };
    server.put(Page, { ...stranger, spec: { text: 'not ours' } });
    server.put(Page, { metadata: { name: 'plain' }, spec: { text: 'nobody owns it' } });
    put(server, ['x', 'y']);
    start(server, {
      controllers: [
        sites((site, observed) => ({
          children: site.spec.pages.map(pageFor),
          status: { pages: observed.list(Page).length },
        })),
      ],
    });
    await eventually(() => server.get(Site, 'a').status?.pages === 2);
    expect(server.get(Page, 'x').metadata.ownerReferences[0]).toMatchObject({
      kind: 'Site',
      name: 'a',
      controller: true,
    });
    expect(conditions(server)).toEqual({ Ready: 'True' });
    expect(server.get(Site, 'a').status.observedGeneration).toBe(1);
    // Another client breaks a child; the controller repairs it.
    server.put(Page, { ...server.get(Page, 'y'), spec: { text: 'broken' } });
    await eventually(() => server.get(Page, 'y').spec.text === 'y');
    put(server, ['y', 'z']);
    await eventually(() => server.get(Page, 'x') === undefined && server.get(Page, 'z') !== undefined);
    await eventually(() => server.get(Site, 'a').status.observedGeneration === 2);
    expect(server.get(Page, 'stranger')).toBeDefined();
    expect(server.get(Page, 'plain')).toBeDefined();
    await eventually(() => server.list(Event).some((each) => each.reason === 'PageDeleted'));
    expect(new Set(server.list(Event).map((each) => each.reason))).toEqual(new Set(['PageCreated', 'PageDeleted']));
    await settled();
    const before = writes(server);
    server.put(Page, { ...server.get(Page, 'y'), metadata: { ...server.get(Page, 'y').metadata, labels: { a: 'b' } } });
    await settled();
    expect(writes(server)).toBe(before);
  });

  it('names the child it waits for, with the reason, in its conditions', async () => {
    const server = new FakeApiServer([Site, PersistentVolumeClaim]);
    put(server, []);
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'data' } };
    start(server, {
      controllers: [
        controller({
          for: Site,
          owns: [PersistentVolumeClaim],
          desired: () => ({
            children: [{ ...claim, spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'absent' } }],
            status: {},
          }),
        }),
      ],
    });
    await eventually(() => conditions(server)['Reconciling'] === 'True');
    const message = 'PersistentVolumeClaim default/data is Pending: waiting for a volume of storage class absent';
    expect(server.get(Site, 'a').status.conditions).toMatchObject([
      { type: 'Ready', status: 'False', reason: 'ChildrenNotReady', message },
      { type: 'Reconciling', status: 'True', message },
    ]);
    server.put(PersistentVolumeClaim, { ...server.get(PersistentVolumeClaim, 'data'), status: { phase: 'Bound' } });
    await eventually(() => conditions(server)['Ready'] === 'True');
  });

  it('does not create, change or delete a child while it waits for others', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['db', 'web']);
    start(server, {
      controllers: [
        sites(({ spec }) => {
          const [first, ...rest] = spec.pages.map(pageFor);
          return { children: [first, ...rest.map((each) => after(first!, each))], status: {} };
        }),
      ],
    });
    const db = (status: string, reason: string): void => {
      const page = server.get(Page, 'db');
      server.put(Page, { ...page, status: { conditions: [{ type: 'Ready', status, reason }] } });
    };
    server.interrupt = ({ url, verb }) => {
      // The first child is not ready when it is created.
      if (verb === 'PATCH' && url.pathname.endsWith('/pages/db')) setImmediate(() => db('False', 'Starting'));
      return undefined;
    };
    await eventually(() => server.get(Page, 'db')?.status !== undefined);
    server.interrupt = undefined;
    server.delete(Page, 'web');
    await eventually(() => conditions(server)['Reconciling'] === 'True');
    await settled();
    expect(server.get(Page, 'web')).toBeUndefined();
    expect(conditions(server)).toEqual({ Ready: 'False', Reconciling: 'True' });
    const [ready] = server.get(Site, 'a').status.conditions;
    expect(ready.message).toBe('Page default/db is not ready: Starting; Page default/web waits for Page default/db');
    db('True', 'Up');
    await eventually(() => server.get(Page, 'web') !== undefined && conditions(server)['Ready'] === 'True');
    db('False', 'Restarting');
    await eventually(() => conditions(server)['Ready'] === 'False');
    await settled();
    expect(server.get(Page, 'web')).toBeDefined();
    expect(conditions(server)).not.toHaveProperty('Stalled');
  });

  it.each<[number, 'Forbidden' | '', string, string]>([
    [403, 'Forbidden', 'not allowed', 'Forbidden'],
    [500, '', 'failed to create typed patch object (default/x; /v1): .txt: field not declared in schema', 'Rejected'],
  ])('reports Stalled when the server rejects a child with status %i, and retries', async (code, reason, why, said) => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site, Page, Event], { clock });
    put(server, ['x']);
    server.interrupt = ({ url, verb }) => {
      if (verb === 'PATCH' && url.pathname.endsWith('/pages/x')) throw failure(code, reason, why);
      return undefined;
    };
    start(server, { clock, controllers: [sites((site) => ({ children: site.spec.pages.map(pageFor), status: {} }))] });
    await eventually(() => conditions(server)['Stalled'] === 'True');
    expect(server.get(Site, 'a').status.conditions[0]).toMatchObject({
      type: 'Ready',
      status: 'False',
      reason: said,
      message: expect.stringContaining(why),
    });
    await eventually(() =>
      server.list(Event).some((each) => each.reason === 'PageRejected' && each.type === 'Warning'),
    );
    server.interrupt = undefined;
    await eventually(() => {
      void clock.advance(100);
      return conditions(server)['Ready'] === 'True';
    });
    expect(conditions(server)).not.toHaveProperty('Stalled');
  });

  it('reports an impossible state in the status', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['x', 'x']);
    start(server, { controllers: [sites((site) => ({ children: site.spec.pages.map(pageFor), status: {} }))] });
    await eventually(() => conditions(server)['Stalled'] === 'True');
    expect(server.get(Site, 'a').status.conditions[0].message).toMatch(
      /the desired state contains Page default\/x twice/,
    );
    put(server, ['x']);
    await eventually(() => conditions(server)['Ready'] === 'True');
  });

  it('prefers given conditions over derived conditions, and writes no status if none is given', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, []);
    put(server, ['quiet'], 'b');
    start(server, {
      controllers: [
        sites(({ metadata, spec }) => {
          if (metadata.name === 'b') return { children: spec.pages.map(pageFor) };
          return {
            children: [],
            conditions: [
              { type: 'Ready', status: 'Unknown', reason: 'Asking' },
              { type: 'Backed', status: 'True', reason: 'Yes' },
            ],
          };
        }),
      ],
    });
    await eventually(() => conditions(server)['Backed'] === 'True' && server.get(Page, 'quiet') !== undefined);
    expect(conditions(server)).toEqual({ Ready: 'Unknown', Backed: 'True' });
    await settled();
    expect(server.get(Site, 'b').status).toBeUndefined();
  });

  it('writes the conditions in the status, with lower precedence than separate conditions', async () => {
    const server = new FakeApiServer([Site, Page, Event]);
    put(server, []);
    const condition = (type: string, status: 'True' | 'False') => ({ type, status, reason: 'Said', message: '' });
    start(server, {
      controllers: [
        sites(() => ({
          children: [],
          status: { phase: 'up', conditions: [condition('Backed', 'True'), condition('Sold', 'True')] },
          conditions: [condition('Sold', 'False')],
        })),
      ],
    });
    await eventually(() => conditions(server)['Backed'] === 'True');
    expect(conditions(server)).toEqual({ Ready: 'True', Backed: 'True', Sold: 'False' });
    expect(server.get(Site, 'a').status.conditions[1]).toMatchObject({ lastTransitionTime: expect.any(String) });
  });

  it('accepts a state from a reconcile, without pruning the objects that the reconcile applied', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['x']);
    const mixed = controller({
      for: Site,
      owns: [Page],
      async reconcile(site, ctx) {
        await ctx.apply(pageFor('by-hand'));
        return {
          children: site.spec.pages.map(pageFor),
          status: { pages: ctx.observed.list(Page).length },
          requeueAfterMs: 5_000,
        };
      },
    });
    start(server, { controllers: [mixed] });
    await eventually(() => server.get(Site, 'a').status?.pages === 2);
    put(server, []);
    await eventually(() => server.get(Page, 'x') === undefined);
    await settled();
    expect(server.get(Page, 'by-hand')).toBeDefined();
  });

  it('does not reconcile an object that is being deleted, and deletes children first on request', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['x']);
    let calls = 0;
    const held = controller({
      for: Site,
      owns: [Page],
      finalizers: { 'example.com/pages-first': childrenFirst(Page) },
      desired: (site) => {
        calls++;
        return { children: site.spec.pages.map(pageFor) };
      },
    });
    const clock = new VirtualClock();
    start(server, { controllers: [held], clock });
    await eventually(() => server.get(Page, 'x') !== undefined);
    server.put(Page, {
      ...server.get(Page, 'x'),
      metadata: { ...server.get(Page, 'x').metadata, finalizers: ['test/hold'] },
    });
    server.delete(Site, 'a');
    await eventually(() => server.get(Page, 'x')?.metadata.deletionTimestamp !== undefined);
    const before = calls;
    await settled();
    expect(server.get(Site, 'a')).toBeDefined();
    server.put(Page, { ...server.get(Page, 'x'), metadata: { ...server.get(Page, 'x').metadata, finalizers: [] } });
    await eventually(() => {
      void clock.advance(500);
      return server.get(Site, 'a') === undefined;
    });
    expect(calls).toBe(before);
  });

  it.each<[string, (site: Site) => DesiredState<Site>, RegExp]>([
    [
      'a kind that is not owned',
      () => ({ children: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }] }),
      /add Secret to "owns"/,
    ],
    ['no name', () => ({ children: [{ ...pageFor(''), metadata: {} }] }), /has no metadata.name/],
    [
      'a ring',
      () => ({ children: [after(pageFor('x'), pageFor('y')), after(pageFor('y'), pageFor('x'))] }),
      /children wait for each other: Page default\/y → Page default\/x → Page default\/y/,
    ],
    [
      'waiting for what is not wanted',
      () => ({ children: [after(pageFor('x'), pageFor('y'))] }),
      /which is not a desired child/,
    ],
    ['a promise instead of a state', () => Promise.reject(new Error('unseen')) as never, /"desired" must not be async/],
    [
      'a terminal error',
      () => {
        throw new TerminalError('the spec makes no sense');
      },
      /makes no sense/,
    ],
    [
      'a wrapped terminal error',
      () => {
        throw new Error('cannot plan', { cause: new TerminalError('the spec makes no sense') });
      },
      /cannot plan/,
    ],
  ])('stalls with %s', async (_, desired, message) => {
    const server = new FakeApiServer([Site, Page]);
    put(server, []);
    const withStatus = (state: DesiredState<Site>): DesiredState<Site> =>
      state instanceof Promise ? state : { status: {}, ...state };
    start(server, { controllers: [sites((site) => withStatus(desired(site)))] });
    await eventually(() => conditions(server)['Stalled'] === 'True');
    expect(server.get(Site, 'a').status.conditions[0].message).toMatch(message);
  });

  it('keeps the status while the function fails, and removes Stalled once it succeeds', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['fine']);
    start(server, {
      controllers: [
        sites(({ spec }) => {
          if (spec.pages.includes('bad')) throw new TerminalError('bad is not a page');
          return spec.pages.includes('silent') ? {} : { status: { phase: 'Up' } };
        }),
      ],
    });
    await eventually(() => conditions(server)['Ready'] === 'True');
    put(server, ['bad']);
    await eventually(() => conditions(server)['Stalled'] === 'True');
    expect(server.get(Site, 'a').status.phase).toBe('Up');
    put(server, ['silent']);
    await eventually(() => conditions(server)['Ready'] === 'True');
    expect(conditions(server)).not.toHaveProperty('Stalled');
  });

  it('writes Stalled once when the function throws, and recovers when it stops throwing', async () => {
    const server = new FakeApiServer([Site, Page]);
    put(server, ['fine']);
    let runs = 0;
    start(server, {
      controllers: [
        sites(({ spec }) => {
          runs++;
          if (spec.pages.includes('bad')) throw new Error(`no page, run ${runs}`);
          return { status: { phase: 'Up' } };
        }),
      ],
    });
    await eventually(() => conditions(server)['Ready'] === 'True');
    put(server, ['bad']);
    const before = runs;
    await eventually(() => runs > before + 4);
    expect(conditions(server)).toMatchObject({ Ready: 'False', Stalled: 'True' });
    // The message differs every time; writing each message would make the object trigger its own reconcile.
    expect(server.get(Site, 'a').status).toMatchObject({
      phase: 'Up',
      conditions: expect.arrayContaining([
        expect.objectContaining({ reason: 'CannotReconcile', message: `no page, run ${before + 1}` }),
      ]),
    });
    put(server, ['fine']);
    await eventually(() => conditions(server)['Ready'] === 'True');
    expect(conditions(server)).not.toHaveProperty('Stalled');
  });

  it('requires exactly one of reconcile and desired', () => {
    expect(() => controller({ for: Site } as never)).toThrow(/requires exactly one of "reconcile" and "desired"/);
  });
});
