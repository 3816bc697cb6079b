import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { KubernetesClient, type Transport } from '@kubewright/client';
import { afterEach, describe, expect, it } from 'vitest';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { ProcessClock } from '../leader-election/testdata/process-clock.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';

const Site = defineKind<{ readonly domain: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
const Page = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Page' });
const Lease = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
  scope: 'Namespaced',
} as const;

const stages = ['before the look', 'after the look', 'before the write'] as const;
type Stage = (typeof stages)[number];

/** Disruptions during a reconcile that the timers of the process do not notice. */
const events = {
  'the process was stopped': async (base: VirtualClock, clock: ProcessClock) => {
    clock.stop({ suspended: false });
    await base.advance(20_000);
    clock.resume();
  },
  'the machine slept': async (base: VirtualClock, clock: ProcessClock) => {
    clock.stop({ suspended: true });
    await base.advance(20_000);
    clock.resume();
  },
  'the wall clock was moved on': async (_: VirtualClock, clock: ProcessClock) => clock.jumpWall(3_600_000),
  'the wall clock was moved back': async (_: VirtualClock, clock: ProcessClock) => clock.jumpWall(-3_600_000),
};

const managers: Manager[] = [];
afterEach(async () => {
  for (const manager of managers.splice(0)) await manager[Symbol.asyncDispose]();
});

/** Holds one request of a reconcile at the given stage until it is released. */
class HoldingTransport implements Transport {
  readonly #inner: Transport;
  readonly #stage: Stage;
  readonly #ungated: boolean;
  isHeld = false;
  release: () => void = () => {};

  constructor(inner: Transport, options: { readonly stage: Stage; readonly ungated: boolean }) {
    this.#inner = inner;
    this.#stage = options.stage;
    this.#ungated = options.ungated;
  }

  async request(request: Parameters<Transport['request']>[0]): ReturnType<Transport['request']> {
    const look = request.method === 'GET' && request.path.includes('/sites/a');
    const write = request.method === 'PATCH' && request.path.includes('/pages/a');
    if (look) await this.#hold('before the look');
    if (write) await this.#hold('before the write');
    const { gate, ...ungated } = request;
    const response = await this.#inner.request(this.#ungated ? ungated : request);
    if (look) await this.#hold('after the look');
    return response;
  }

  async #hold(stage: Stage): Promise<void> {
    if (stage !== this.#stage || this.isHeld) return;
    this.isHeld = true;
    await new Promise<void>((resolve) => {
      this.release = resolve;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/**
 * Returns the writes that the server received after the held request was released, up to the request that makes writes
 * valid again: the first of a new term, or a new check.
 */
async function writesAfter(
  stage: Stage,
  happens: (base: VirtualClock, clock: ProcessClock) => Promise<void>,
  options: { readonly elects: boolean; readonly ungated?: boolean; readonly marks?: boolean },
): Promise<readonly string[]> {
  const base = new VirtualClock();
  const clock = new ProcessClock(base);
  const server = new FakeApiServer([Site, Page, Lease]);
  server.put(Site, { metadata: { name: 'a' }, spec: { domain: 'old' } });
  const { ungated = false, elects, marks = false } = options;
  const transport = new HoldingTransport(server.transport, { stage, ungated });
  const manager = new Manager({
    client: new KubernetesClient({ transport, clock, retry: { maxTransportRetries: 0 } }),
    clock,
    random: seededRandom(1),
    log: silentLogger,
    handleSignals: false,
    watchdog: false,
    ...(elects && { leaderElection: { id: 'lock' } }),
    controllers: [
      controller({
        for: Site,
        owns: [Page],
        // The response to adding the finalizer replaces the first check.
        ...(marks && { finalizers: { 'example.com/x': async () => {} } }),
        fenced: !ungated,
        reconcile: async (site, ctx) => {
          const metadata = { name: 'a' };
          await ctx.apply({ apiVersion: 'example.com/v1', kind: 'Page', metadata, spec: { text: site.spec.domain } });
        },
      }),
    ],
  });
  managers.push(manager);
  manager.run().catch(() => {});
  await eventually(() => {
    void base.advance(50);
    return transport.isHeld;
  });
  await happens(base, clock);
  const from = server.requests.length;
  transport.release();
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
  const after = server.requests.slice(from);
  const right = after.findIndex((request) => (elects ? /^P.*\/leases/ : /^GET.*\/sites\/a/).test(request));
  return after.slice(0, right < 0 ? after.length : right).filter((request) => request.startsWith('P'));
}

describe.each(Object.entries(events))('A reconcile that waits to write while %s', (_, happens) => {
  it.each(stages)('writes nothing from the previous term: %s', async (stage) => {
    expect(await writesAfter(stage, happens, { elects: true })).toEqual([]);
  });

  it('lets the write through without the gate', async () => {
    expect(await writesAfter('before the write', happens, { elects: true, ungated: true })).toHaveLength(1);
  });

  it('checks again before it writes without leader election', async () => {
    expect(await writesAfter('before the write', happens, { elects: false })).toEqual([]);
  });

  it('checks before it writes after adding its finalizers', async () => {
    expect(await writesAfter('before the write', happens, { elects: false, marks: true })).toEqual([]);
  });
});
