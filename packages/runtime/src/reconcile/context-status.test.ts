import { VirtualClock } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';

const Site = defineKind<{ readonly size: number }, { readonly phase: string }>({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
});

const clock = new VirtualClock();
const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

async function run(client: KubernetesClient, definition: ControllerDefinition): Promise<void> {
  const options = { client, clock, log: silentLogger, handleSignals: false, watchdog: false };
  const manager = new Manager({ ...options, controllers: [definition] });
  running.push(manager);
  manager.run().catch(() => {});
  await manager.started();
}

async function soon(condition: () => boolean): Promise<void> {
  await eventually(() => {
    void clock.advance(50);
    return condition();
  });
}

describe('ctx.setStatus', () => {
  it('restores the previous status after a write whose response was lost, even if the cache still shows it', async () => {
    const server = new FakeApiServer([Site]);
    server.put(Site, { metadata: { name: 'a' }, spec: { size: 1 } });
    let world = 'Up';
    let loses = false;
    const set: string[] = [];
    const client = server.client.intercepted(async (call, next) => {
      const answer = await next(call);
      if (!loses || !call.request.path.includes('/status')) return answer;
      loses = false;
      world = 'Up';
      throw new Error('the connection was lost');
    });
    await run(
      client,
      controller({
        for: Site,
        async reconcile(_, ctx) {
          const phase = world;
          await ctx.setStatus({ phase });
          set.push(phase);
          return { requeueAfterMs: 1_000 };
        },
      }),
    );
    await soon(() => set.length >= 3);
    // From now on, the watch delivers nothing, so the cache still holds the first status.
    server.interrupt = ({ verb }) => (verb === 'watch' ? new Promise(() => {}) : undefined);
    server.cutWatches();
    world = 'Down';
    loses = true;
    await soon(() => !loses);
    expect(server.get(Site, 'a').status).toEqual({ phase: 'Down' });
    const before = set.length;
    await soon(() => set.length > before);
    expect(server.get(Site, 'a').status).toEqual({ phase: 'Up' });
  });

  it('writes the status that brings an object back after its own status moved it out of the selector', async () => {
    const server = new FakeApiServer([Site]);
    server.put(Site, { metadata: { name: 'a' }, spec: { size: 1 }, status: { phase: 'Up' } });
    let settled = 0;
    let turns = 0;
    await run(
      server.client,
      controller({
        for: Site,
        cached: { fieldSelector: 'status.phase=Up' },
        async reconcile(site, ctx) {
          await ctx.setStatus({ phase: 'Up' });
          settled++;
          if (site.spec.size === 1 || turns > 0) return;
          await ctx.setStatus({ phase: 'Down' });
          await ctx.setStatus({ phase: 'Up' });
          turns++;
        },
      }),
    );
    await soon(() => settled > 1);
    server.put(Site, { ...server.get(Site, 'a'), spec: { size: 2 } });
    await soon(() => turns > 0);
    expect(server.get(Site, 'a').status).toEqual({ phase: 'Up' });
  });
});
