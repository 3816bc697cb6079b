import { type KubernetesObject, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import type { ReconcileContext } from '../reconcile/reconcile.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';

const Site = defineKind<{ readonly domain: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Page = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });

const clock = new VirtualClock();
const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

async function run(server: FakeApiServer, definition: ControllerDefinition): Promise<void> {
  const manager = new Manager({
    client: server.client,
    clock,
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    controllers: [definition],
  });
  running.push(manager);
  manager.run().catch(() => {});
  await manager.started();
}

/** Lets the cache of Sites lag: its watch gets no response until the returned function is called. */
function holdSites(server: FakeApiServer): () => void {
  let release = (): void => {};
  const released = new Promise<undefined>((resolve) => {
    release = () => resolve(undefined);
  });
  server.interrupt = ({ url, verb }) => (verb === 'watch' && url.pathname.endsWith('/sites') ? released : undefined);
  server.cutWatches();
  return release;
}

/** Advances the clock until the condition holds, because backoff is part of the test. */
async function soon(condition: () => boolean): Promise<void> {
  await eventually(() => {
    void clock.advance(50);
    return condition();
  });
}

function writes(server: FakeApiServer): readonly string[] {
  return server.requests.filter((request) => !/^(GET|watch)/.test(request));
}

describe('writeFence', () => {
  const siteA = { metadata: { name: 'a' }, spec: { domain: 'old' } };

  it('rejects the first write of a reconcile whose object has changed, and retries with the new object', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, siteA);
    const seen: string[] = [];
    await run(
      server,
      controller({
        for: Site,
        owns: [Page],
        async reconcile(site, ctx) {
          seen.push(site.spec.domain);
          await ctx.apply({
            apiVersion: 'example.com/v1',
            kind: 'Page',
            metadata: { name: 'a' },
            spec: { text: site.spec.domain },
          });
        },
      }),
    );
    await soon(() => server.get(Page, 'a')?.spec.text === 'old');
    const release = holdSites(server);
    server.put(Site, { ...server.get(Site, 'a'), spec: { domain: 'new' } });
    // Another client deletes the child: the reconcile that restores it only sees the old site.
    const before = writes(server).length;
    const runs = seen.length;
    server.delete(Page, 'a');
    await soon(() => seen.length >= runs + 3);
    expect(seen.at(-1)).toBe('old');
    expect(writes(server).length).toBe(before);
    expect(server.get(Page, 'a')).toBeUndefined();
    release();
    await soon(() => server.get(Page, 'a')?.spec.text === 'new');
  });

  it('allows the status to record external resources although the object was edited in the meantime', async () => {
    const Vm = defineKind<{ readonly size: number }, { readonly id: string }>({
      group: 'example.com',
      version: 'v1',
      kind: 'Vm',
    });
    const server = new FakeApiServer([Vm]);
    server.put(Vm, { metadata: { name: 'a' }, spec: { size: 1 } });
    let made = 0;
    await run(
      server,
      controller({
        for: Vm,
        async reconcile(vm, ctx) {
          if (vm.status?.id) return;
          made++;
          // Another client edits the object during the slow creation.
          if (made === 1) server.put(Vm, { ...server.get(Vm, 'a'), spec: { size: 2 } });
          await ctx.setStatus({ id: `vm-${made}` });
        },
      }),
    );
    await soon(() => server.get(Vm, 'a')?.status?.id !== undefined);
    await soon(() => made >= 1);
    expect(server.get(Vm, 'a').status.id).toBe('vm-1');
    expect(made).toBe(1);
  });

  describe('in the first reconcile of an object that gets finalizers', () => {
    const looks = (server: FakeApiServer): number =>
      server.requests.filter((request) => /^GET .*\/sites\/a$/.test(request)).length;
    const page = (name: string, text: string) => ({
      apiVersion: 'example.com/v1',
      kind: 'Page',
      metadata: { name },
      spec: { text },
    });

    /** Runs a controller whose reconciles wait at `wait` until they are released. */
    async function held(server: FakeApiServer, options: { readonly pages: readonly string[] }) {
      const started: string[] = [];
      let release: () => void = () => {};
      const go = new Promise<void>((resolve) => {
        release = resolve;
      });
      await run(
        server,
        controller({
          for: Site,
          owns: [Page],
          finalizers: { 'example.com/x': async () => {} },
          async reconcile(site, ctx) {
            for (const name of options.pages) {
              if (name === 'wait') {
                started.push(site.spec.domain);
                await go;
              } else await ctx.apply(page(name, site.spec.domain));
            }
          },
        }),
      );
      await soon(() => started.length === 1);
      return { started, release };
    }

    it('counts the response to adding finalizers as a check for ten seconds', async () => {
      const server = new FakeApiServer([Site, Page]);
      server.put(Site, siteA);
      const { release } = await held(server, { pages: ['wait', 'a'] });
      await clock.advance(5_000);
      release();
      await soon(() => server.get(Page, 'a') !== undefined);
      expect(looks(server)).toBe(0);
    });

    it('then writes nothing for an older generation', async () => {
      const server = new FakeApiServer([Site, Page]);
      server.put(Site, siteA);
      const { release, started } = await held(server, { pages: ['wait', 'a'] });
      server.put(Site, { ...server.get(Site, 'a'), spec: { domain: 'new' } });
      await clock.advance(10_001);
      const before = server.requests.length;
      release();
      await soon(() => started.includes('new') && server.get(Page, 'a') !== undefined);
      const after = server.requests.slice(before).filter((request) => !request.startsWith('watch'));
      // Expect the failed check, then the check and the write of the next reconcile.
      expect(after.slice(0, 3).map((request) => request.replace(/ .*\//, ' '))).toEqual([
        'GET a',
        'GET a',
        'PATCH a?fieldManager=site&force=true',
      ]);
      expect(server.get(Page, 'a').spec.text).toBe('new');
    });

    it('then writes nothing for an object that is being deleted', async () => {
      const server = new FakeApiServer([Site, Page]);
      server.put(Site, siteA);
      const { release } = await held(server, { pages: ['wait', 'a'] });
      server.delete(Site, 'a');
      await clock.advance(10_001);
      release();
      await soon(() => server.get(Site, 'a') === undefined);
      expect(server.get(Page, 'a')).toBeUndefined();
    });

    it('continues work in progress although the object was edited', async () => {
      const server = new FakeApiServer([Site, Page]);
      server.put(Site, siteA);
      const { release } = await held(server, { pages: ['a', 'wait', 'b'] });
      server.put(Site, { ...server.get(Site, 'a'), spec: { domain: 'new' } });
      await clock.advance(10_001);
      const before = server.requests.length;
      release();
      await soon(() => server.get(Page, 'b')?.spec.text === 'new');
      const after = server.requests.slice(before).filter((request) => !request.startsWith('watch'));
      expect(after[0]).toMatch(/^GET .*\/sites\/a$/);
      expect(after[1]).toMatch(/^PATCH .*\/pages\/b/);
    });
  });

  it('also guards writes through ctx.client against a replaced object', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, siteA);
    let made = 0;
    let runs = 0;
    await run(
      server,
      controller({
        for: Site,
        owns: [Page],
        async reconcile(site, ctx) {
          runs++;
          if (await ctx.get(Page, { namespace: 'default', name: 'a' })) return;
          await ctx.client.resource(Page).create({
            apiVersion: 'example.com/v1',
            kind: 'Page',
            metadata: {
              name: 'a',
              ownerReferences: [
                {
                  apiVersion: 'example.com/v1',
                  kind: 'Site',
                  name: 'a',
                  uid: site.metadata.uid,
                  controller: true,
                },
              ],
            },
            spec: { text: site.metadata.uid },
          });
          made++;
        },
      }),
    );
    await soon(() => made === 1);
    const release = holdSites(server);
    server.delete(Site, 'a');
    server.put(Site, siteA);
    const before = runs;
    server.delete(Page, 'a');
    await soon(() => runs >= before + 2);
    expect(made).toBe(1);
    release();
    await soon(() => made === 2);
    expect(server.get(Page, 'a').spec.text).toBe(server.get(Site, 'a').metadata.uid);
  });

  describe('for an object replaced by another of the same name that the cache has not seen', () => {
    const key = { namespace: 'default', name: 'a' };
    const body = { spec: { domain: 'parked' } };
    const expire = {
      'ctx.client deletes it': (_, { client }) => client.resource(Site).delete(key),
      'ctx.client patches it': (_, { client }) => client.resource(Site).patch(key, { type: 'merge', body }),
      'ctx.client patches it step by step': (_, { client }) =>
        client.resource(Site).patch(key, {
          type: 'json',
          body: [{ op: 'replace', path: '/spec/domain', value: 'parked' }],
        }),
      'ctx.client updates it, without its uid': ({ apiVersion, kind }, { client }) =>
        client.resource(Site).update({ apiVersion, kind, metadata: key, ...body }),
      'ctx.client applies it, by its name': (_, { client }) =>
        client.resource(Site).apply({ metadata: key, ...body }, { fieldManager: 'site', force: true }),
      'ctx.client patches its status': (_, { client }) =>
        client.resource(Site).status.patch(key, { type: 'merge', body: { status: { parked: true } } }),
      'ctx.delete deletes it': (site, ctx) => ctx.delete(site),
      'ctx.apply applies it': ({ apiVersion, kind }, ctx) => ctx.apply({ apiVersion, kind, metadata: key, ...body }),
    } satisfies Record<string, (site: KubernetesObject, ctx: ReconcileContext) => Promise<unknown>>;

    it.each(Object.entries(expire))('preserves the replacement: %s', async (_, write) => {
      const server = new FakeApiServer([Site]);
      server.put(Site, { ...siteA, spec: { domain: 'expired' } });
      let runs = 0;
      let release: () => void = () => {};
      const go = new Promise<void>((resolve) => {
        release = resolve;
      });
      let outcome: Promise<unknown> | undefined;
      await run(
        server,
        controller({
          for: Site,
          async reconcile(site, ctx) {
            if (site.spec.domain !== 'expired') return;
            runs++;
            outcome ??= go.then((): Promise<unknown> => write(site, ctx));
            await outcome;
          },
        }),
      );
      await soon(() => runs === 1);
      server.delete(Site, 'a');
      const replacement = server.put(Site, { ...siteA, spec: { domain: 'kept' } });
      release();
      await expect(outcome).rejects.toThrow(/replaced by another|uid/i);
      expect(server.get(Site, 'a')).toEqual(replacement);
    });
  });

  it('skips the check for a write to the object itself that carries its UID', async () => {
    const server = new FakeApiServer([Site]);
    server.put(Site, siteA);
    const key = { namespace: 'default', name: 'a' };
    let ended = 0;
    await run(
      server,
      controller({
        for: Site,
        async reconcile({ metadata: { uid } }, ctx) {
          const sites = ctx.client.resource(Site);
          await sites.patch(key, { type: 'merge', body: { metadata: { uid, labels: { seen: 'yes' } } } });
          const domain = { op: 'replace', path: '/spec/domain', value: 'new' } as const;
          await sites.patch(key, { type: 'json', body: [{ op: 'test', path: '/metadata/uid', value: uid }, domain] });
          await sites.delete(key, { preconditions: { uid } });
          ended++;
        },
      }),
    );
    await soon(() => ended === 1);
    const sent = server.requests.filter((request) => request.includes('/sites/a'));
    expect(sent.map((request) => request.split(' ')[0])).toEqual(['PATCH', 'PATCH', 'DELETE']);
  });

  it('blocks writes through a context kept after its reconcile', async () => {
    const server = new FakeApiServer([Site, Page]);
    server.put(Site, siteA);
    let late: Promise<unknown> | undefined;
    await run(
      server,
      controller({
        for: Site,
        async reconcile(_, ctx) {
          const after = new Promise<void>((resolve) => {
            ctx.signal.addEventListener('abort', () => resolve());
          });
          late ??= after.then(() => ctx.client.resource(Page).delete({ namespace: 'default', name: 'x' }));
          late.catch(() => {});
        },
      }),
    );
    await soon(() => late !== undefined);
    await expect(late).rejects.toThrow('has ended');
    expect(writes(server)).toEqual([]);
  });
});
