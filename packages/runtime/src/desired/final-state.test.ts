import type { ObjectOf } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';
import type { Finalizer } from './finalizer.ts';

const group = { group: 'example.com', version: 'v1' } as const;
const Site = defineKind<{ readonly text: string }, { readonly left?: number }>({ ...group, kind: 'Site' });
type Site = ObjectOf<typeof Site>;
const Page = defineKind<{ readonly text: string }>({ ...group, kind: 'Page' });
const cleanup = 'example.com/cleanup';

const page = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Page',
  metadata: { name },
  spec: { text: 'x' },
});

describe('a finalizer that returns a desired state', () => {
  let manager: Manager | undefined;
  afterEach(() => manager?.[Symbol.asyncDispose]());

  function start(server: FakeApiServer, finalize: Finalizer<Site>): void {
    const sites = controller<Site>({
      for: Site,
      owns: [Page],
      finalizers: { [cleanup]: finalize },
      desired: () => ({ children: [page('front')] }),
    });
    manager = new Manager({
      controllers: [sites],
      client: server.client,
      log: silentLogger,
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => {});
  }

  /** Deletes the site once its page exists. */
  async function deleteSite(server: FakeApiServer): Promise<void> {
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    await eventually(() => server.get(Page, 'front') !== undefined);
    const { metadata, ...site } = server.get(Site, 'a');
    server.put(Site, { ...site, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
  }

  const finalizersOf = (server: FakeApiServer) => server.get(Site, 'a')?.metadata.finalizers;

  it('has its children applied and its status written before the finalizer is removed', async () => {
    const server = new FakeApiServer([Site, Page]);
    let isFinalized = false;
    start(server, async (_, { observed }) => ({
      children: [page('farewell')],
      status: { left: observed.list(Page).length },
      finalized: isFinalized,
    }));
    await deleteSite(server);
    await eventually(() => server.get(Page, 'farewell') !== undefined && server.get(Page, 'front') === undefined);
    expect(server.get(Page, 'farewell').metadata.ownerReferences).toMatchObject([{ kind: 'Site', name: 'a' }]);
    await eventually(() => server.get(Site, 'a').status?.left === 1);
    expect(finalizersOf(server)).toEqual([cleanup]);
    // A child's event triggers the finalizer again.
    isFinalized = true;
    const { metadata, ...farewell } = server.get(Page, 'farewell');
    server.put(Page, { ...farewell, metadata: { ...metadata, labels: { done: 'yes' } } });
    await eventually(() => !finalizersOf(server)?.length);
  });

  it('deletes only the children that this controller has applied', async () => {
    const server = new FakeApiServer([Site, Page]);
    start(server, async () => ({ children: [], finalized: false }));
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    await eventually(() => server.get(Page, 'front') !== undefined);
    const [owner] = server.get(Page, 'front').metadata.ownerReferences ?? [];
    if (!owner) throw new Error('the page has no owner');
    server.put(Page, { metadata: { name: 'other', ownerReferences: [owner] }, spec: { text: 'y' } });
    await deleteSite(server);
    await eventually(() => server.get(Page, 'front') === undefined);
    expect(server.get(Page, 'other')).toBeDefined();
  });

  it('must say whether it is done', async () => {
    const { finalizers } = controller<Site>({
      for: Site,
      finalizers: {
        [cleanup]: async () => ({ children: [] }) as never,
        'example.com/absent': async () => ({ finalized: undefined }) as never,
        'example.com/typo': async () => ({ children: [], finalised: true }) as never,
      },
      reconcile: async () => undefined,
    });
    const call = (name: string) => finalizers[name]?.({} as never, {} as never);
    await expect(call(cleanup)).rejects.toThrow('returned "children" without "finalized"');
    await expect(call('example.com/absent')).rejects.toThrow('without "finalized"');
    await expect(call('example.com/typo')).rejects.toThrow('did you mean "finalized"?');
  });
});
