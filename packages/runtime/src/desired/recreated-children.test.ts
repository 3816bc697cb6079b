import type { ObjectOf } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';

const group = { group: 'example.com', version: 'v1' } as const;
const Site = defineKind<{ readonly text: string }, { readonly conditions?: readonly { readonly message?: string }[] }>({
  ...group,
  kind: 'Site',
});
type Site = ObjectOf<typeof Site>;
const Page = defineKind<{ readonly text: string }>({ ...group, kind: 'Page' });
const slow = 'example.com/slow';

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

const childOf = ({ spec }: Site) => ({
  apiVersion: 'example.com/v1',
  kind: 'Page',
  metadata: { name: 'child' },
  spec: { text: spec.text },
});
const desiring = controller({
  for: Site,
  owns: [Page],
  desired: (site: Site) => ({ children: [childOf(site)], status: {} }),
});

function start(server: FakeApiServer, sites = desiring): void {
  const { client } = server;
  const manager = new Manager({
    controllers: [sites],
    client,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
  });
  running.push(manager);
  manager.run().catch(() => {});
}

function setFinalizers(server: FakeApiServer, finalizers: readonly string[]): void {
  const child = server.get(Page, 'child');
  server.put(Page, { ...child, metadata: { ...child.metadata, finalizers } });
}

const waits = (server: FakeApiServer): boolean =>
  server.get(Site, 'a').status?.conditions?.[0]?.message?.includes('is being deleted') ?? false;

describe('a child whose name is taken by a terminating object', () => {
  it('is recreated if its owner was deleted and recreated before the old child was removed', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    start(server);
    await eventually(() => server.get(Page, 'child') !== undefined);
    setFinalizers(server, [slow]);
    server.delete(Site, 'a');
    server.delete(Page, 'child');
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    await eventually(() => waits(server));
    const old = server.get(Page, 'child').metadata.uid;
    setFinalizers(server, []);
    await eventually(() => server.get(Page, 'child') !== undefined);
    const { uid, ownerReferences } = server.get(Page, 'child').metadata;
    expect(uid).not.toBe(old);
    expect(ownerReferences[0].uid).toBe(server.get(Site, 'a').metadata.uid);
  });

  it('is created once an object without an owner is removed', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Page, { metadata: { name: 'child', finalizers: [slow] }, spec: { text: 'another client wrote this' } });
    server.delete(Page, 'child');
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    start(server);
    await eventually(() => waits(server));
    setFinalizers(server, []);
    await eventually(() => server.get(Page, 'child')?.spec.text === 'x');
  });

  it('is created once the child of any other owner is removed', async () => {
    const server = new FakeApiServer([Site, Page]);
    const ownerReferences = [
      { apiVersion: 'example.com/v1', kind: 'Other', name: 'o', uid: 'other', controller: true },
    ];
    server.put(Page, { metadata: { name: 'child', finalizers: [slow], ownerReferences }, spec: { text: '' } });
    server.delete(Page, 'child');
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    start(server);
    await eventually(() => waits(server));
    setFinalizers(server, []);
    await eventually(() => server.get(Page, 'child')?.metadata.ownerReferences[0].name === 'a');
  });

  it('is created even if the reconcile applies it directly', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Page, { metadata: { name: 'child', finalizers: [slow] }, spec: { text: '' } });
    const old = server.delete(Page, 'child').metadata.uid;
    server.put(Site, { metadata: { name: 'a' }, spec: { text: 'x' } });
    let runs = 0;
    const applying = controller({
      for: Site,
      owns: [Page],
      async reconcile(site, ctx) {
        runs++;
        await ctx.apply(childOf(site), { ownership: 'none' });
      },
    });
    start(server, applying);
    await eventually(() => runs > 0 && server.get(Page, 'child').spec.text === 'x');
    setFinalizers(server, []);
    await eventually(() => server.get(Page, 'child') !== undefined);
    expect(server.get(Page, 'child').metadata.uid).not.toBe(old);
  });
});
