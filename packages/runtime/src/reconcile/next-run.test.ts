import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import { controller } from '../controller/definition/define-controller.ts';
import { defineKind } from '../kind/define-kind.ts';
import { jsonLogger } from '../log/json-logger.ts';
import { Manager } from '../manager/manager.ts';
import { eventually } from '../testdata/eventually.ts';
import { FakeApiServer } from '../testdata/fake-api-server.ts';

const Site = defineKind<object>({ group: 'example.com', version: 'v1', kind: 'Site' });
const delays = { zero: 0, past: -5, invalid: Number.NaN, soon: 1 };
type Name = keyof typeof delays;

const running: Manager[] = [];
afterEach(async () => {
  for (const manager of running.splice(0)) await manager[Symbol.asyncDispose]();
});

function run(server: FakeApiServer, sites: ControllerDefinition, clock: VirtualClock): Record<string, unknown>[] {
  const lines: Record<string, unknown>[] = [];
  const manager = new Manager({
    controllers: [sites],
    client: server.client,
    clock,
    random: seededRandom(1),
    log: jsonLogger({ destination: { write: (text) => void lines.push(JSON.parse(text)) } }),
    handleSignals: false,
    watchdog: false,
  });
  running.push(manager);
  manager.run().catch(() => {});
  return lines;
}

/** Advances the clock until a condition holds, by far less than a resync period. */
async function pass(clock: VirtualClock, holds: () => boolean): Promise<void> {
  const endMs = clock.monotonic() + 3_600_000;
  let isPassing = false;
  await eventually(() => {
    if (holds() || clock.monotonic() > endMs) return true;
    if (isPassing) return false;
    isPassing = true;
    void clock.advance(20).then(() => {
      isPassing = false;
    });
    return false;
  });
  expect(holds()).toBe(true);
}

const seen = (lines: readonly Record<string, unknown>[], name: string): boolean =>
  lines.some((line) => line['name'] === name && /requeueAfterMs must be a number/.test(JSON.stringify(line)));

describe('requeueAfterMs', () => {
  it('of a finalizer requests another run for any value', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    const steps = new Map<string, number>();
    const reconciled = new Set<string>();
    const sites = controller({
      for: Site,
      errorEvents: false,
      finalizers: {
        'example.com/outside': async ({ metadata: { name } }) => {
          const step = (steps.get(name) ?? 0) + 1;
          steps.set(name, step);
          return step === 1 ? { requeueAfterMs: delays[name as Name] } : undefined;
        },
      },
      async reconcile({ metadata: { name } }) {
        reconciled.add(name);
      },
    });
    const lines = run(server, sites, clock);
    const names = Object.keys(delays);
    for (const name of names) server.put(Site, { metadata: { name } });
    await eventually(() => reconciled.size === names.length);
    for (const name of names) server.delete(Site, name);
    await eventually(() => steps.size === names.length);
    await pass(clock, () => server.list(Site).length === 0);
    expect(Object.fromEntries(steps)).toEqual({ zero: 2, past: 2, invalid: 2, soon: 2 });
    expect(names.filter((name) => seen(lines, name))).toEqual(['invalid']);
  });

  it.each(Object.entries(delays).filter(([name]) => name !== 'invalid'))(
    'of a reconcile requests exactly one more run for any value: %s',
    async (name, requeueAfterMs) => {
      const clock = new VirtualClock();
      const server = new FakeApiServer([Site], { clock });
      const ranAtMs: number[] = [];
      const sites = controller({
        for: Site,
        async reconcile() {
          ranAtMs.push(clock.monotonic());
          return ranAtMs.length < 4 ? { requeueAfterMs } : undefined;
        },
      });
      run(server, sites, clock);
      server.put(Site, { metadata: { name } });
      await eventually(() => ranAtMs.length > 0);
      await pass(clock, () => ranAtMs.length === 4);
      const waits = ranAtMs.slice(1).map((atMs, index) => atMs - (ranAtMs[index] as number));
      // Without backoff, the reconcile would run in a tight loop.
      if (name === 'soon') expect(Math.max(...waits)).toBe(1);
      else expect(waits).toEqual([...waits].sort((a, b) => a - b));
      if (name !== 'soon') expect(waits.at(-1)).toBeGreaterThan(waits[0] as number);
    },
  );

  it('that is not a number fails the reconcile, which is logged and retried', async () => {
    const clock = new VirtualClock();
    const server = new FakeApiServer([Site], { clock });
    let runs = 0;
    const sites = controller({
      for: Site,
      errorEvents: false,
      async reconcile() {
        runs++;
        return runs < 3 ? { requeueAfterMs: Number.NaN } : undefined;
      },
    });
    const lines = run(server, sites, clock);
    server.put(Site, { metadata: { name: 'a' } });
    await eventually(() => runs > 0);
    await pass(clock, () => runs === 3);
    expect(seen(lines, 'a')).toBe(true);
  });
});
