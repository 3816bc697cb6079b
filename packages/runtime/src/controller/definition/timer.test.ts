import { sleep, VirtualClock } from '@kubewright/apimachinery';
import { afterEach, describe, expect, it } from 'vitest';
import { defineKind } from '../../kind/define-kind.ts';
import { silentLogger } from '../../log/silent-logger.ts';
import { Manager } from '../../manager/manager.ts';
import { eventually } from '../../testdata/eventually.ts';
import { FakeApiServer } from '../../testdata/fake-api-server.ts';
import { type TimerOptions, timer } from './timer.ts';

const Site = defineKind<{ readonly text: string }>({ group: 'example.com', version: 'v1', kind: 'Site' });
type Site = ReturnType<typeof Site>;

describe('timer', () => {
  const clock = new VirtualClock();
  let manager: Manager | undefined;
  afterEach(async () => {
    let isEnded = false;
    void manager?.[Symbol.asyncDispose]().then(() => {
      isEnded = true;
    });
    // A run that is still sleeping is canceled after two virtual seconds.
    await eventually(() => {
      void clock.advance(100);
      return isEnded || !manager;
    });
    manager = undefined;
  });

  async function setUp(options: Partial<TimerOptions<Site>>) {
    const server = new FakeApiServer([Site], { clock });
    const runs: number[] = [];
    const startMs = clock.monotonic();
    const definition = timer<Site>({
      for: Site,
      intervalMs: 60_000,
      run: async () => void runs.push(clock.monotonic() - startMs),
      ...options,
    });
    const put = (text: string, generation: number) =>
      server.put(Site, { metadata: { name: 'a', namespace: 'shop', generation }, spec: { text } });
    put('x', 1);
    manager = new Manager({
      client: server.client,
      clock,
      log: silentLogger,
      controllers: [definition],
      handleSignals: false,
      watchdog: false,
    });
    manager.run().catch(() => {});
    await manager.started();
    const pass = async (seconds: number): Promise<void> => {
      for (let i = 0; i < seconds; i++) {
        await clock.advance(1_000);
        await new Promise(setImmediate);
      }
    };
    await pass(1);
    return { runs, put, pass };
  }
  const seconds = (runs: readonly number[]): readonly number[] => runs.map((ms) => Math.round(ms / 1_000));

  it('runs for each object immediately and then at the interval, and not when the object changes', async () => {
    const { runs, put, pass } = await setUp({});
    await pass(30);
    put('y', 2);
    await pass(100);
    expect(seconds(runs)).toEqual([0, 60, 120]);
  });

  it('waits for the initial delay', async () => {
    const { runs, pass } = await setUp({ initialDelayMs: 20_000 });
    await pass(90);
    expect(seconds(runs)).toEqual([20, 80]);
  });

  it('waits until the object is idle', async () => {
    const { runs, put, pass } = await setUp({ idleMs: 40_000 });
    await pass(29);
    put('y', 2);
    await pass(60);
    expect(seconds(runs)).toEqual([70]);
  });

  it.each([
    [true, [0, 60, 120]],
    [false, [0, 80, 160]],
  ])('counts the interval from the start of a run if sharp (%s), otherwise from its end', async (sharp, expected) => {
    const begun: number[] = [];
    const startMs = clock.monotonic();
    const { pass } = await setUp({
      sharp,
      run: async (_site, ctx) => {
        begun.push(ctx.clock.monotonic() - startMs);
        await sleep(ctx.clock, { ms: 20_000, signal: ctx.signal });
      },
    });
    await pass(170);
    expect(seconds(begun)).toEqual(expected);
  });

  it('rejects an interval of zero', () => {
    expect(() => timer({ for: Site, intervalMs: 0, run: async () => {} })).toThrow(RangeError);
  });
});
