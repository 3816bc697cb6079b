import assert from 'node:assert';
import { inspect } from 'node:util';
import { notFound, sleep, VirtualClock } from '@kubewright/apimachinery';
import { ConfigMap, Pod } from '@kubewright/apimachinery/core/v1';
import { stored } from '@kubewright/apimachinery/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { toBeAbsent } from '../matchers/to-be-absent.ts';
import { toMatch } from '../matchers/to-match.ts';
import { consistently } from './consistently.ts';
import { eventually } from './eventually.ts';

const version = (resourceVersion: string, mode: string) => ({
  ...stored(ConfigMap({ metadata: { name: 'settings', resourceVersion } as object, data: { mode } })),
});

/**
 * Returns a function that returns the values in order, and then repeats the last value. If a value is a function, it is called.
 */
function reads<T>(...values: (T | (() => T))[]): () => T {
  return () => {
    const value = values.length > 1 ? values.shift() : values[0];
    return typeof value === 'function' ? (value as () => T)() : (value as T);
  };
}

/** Settles a wait on a virtual clock, and returns its value or its error. */
async function settled<T>(clock: VirtualClock, wait: Promise<T>): Promise<unknown> {
  let outcome: { readonly value: unknown } | undefined;
  void wait.then(
    (value) => (outcome = { value }),
    (value: unknown) => (outcome = { value }),
  );
  for (let step = 0; !outcome && step < 1_000; step++) await clock.advance(10);
  return outcome?.value;
}

afterEach(() => vi.unstubAllEnvs());

describe('eventually', () => {
  it('returns the first value that matches', async () => {
    const read = reads(version('1', 'light'), version('2', 'dark'));
    const clock = new VirtualClock();
    const found = await settled(clock, eventually(read, toMatch({ data: { mode: 'dark' } }), { clock }));
    expect(found).toMatchObject({ metadata: { resourceVersion: '2' } });
    expect(clock.monotonic()).toBeLessThan(100);
  });

  it.each([
    ['a condition', (object: ReturnType<typeof version>) => object.data?.['mode'] === 'dark'],
    ['an assertion', (object: ReturnType<typeof version>) => expect(object.data).toEqual({ mode: 'dark' })],
    ['an asynchronous condition', async (object: ReturnType<typeof version>) => object.data?.['mode'] === 'dark'],
  ])('accepts %s as a matcher', async (_, matcher) => {
    const clock = new VirtualClock();
    const wait = (mode: string) => eventually(() => version('1', mode), matcher, { clock, timeoutMs: 1_000 });
    expect(await settled(clock, wait('dark'))).toMatchObject({ data: { mode: 'dark' } });
    expect(await settled(clock, wait('light'))).toMatchObject({ name: 'AssertionError' });
  });

  it.each([false, null, 0, '', Number.NaN].map((verdict) => [inspect(verdict), verdict]))(
    'treats %s as a mismatch',
    async (text, verdict) => {
      const clock = new VirtualClock();
      // A program without types can return anything.
      const matcher = (() => verdict) as () => boolean;
      const wait = eventually(() => version('1', 'dark'), matcher, { clock, timeoutMs: 0 });
      expect(await settled(clock, wait)).toMatchObject({
        message: expect.stringContaining(`: matcher returned ${text}`),
      });
    },
  );

  it('does not compile with a condition that may be undefined', async () => {
    const clock = new VirtualClock();
    const pod = (): Pod => Pod({ metadata: { name: 'web' }, spec: { containers: [] } });
    const isReady = ({ status }: Pod) => status?.conditions?.some(({ type }) => type === 'Ready');
    const options = { clock, timeoutMs: 0 };
    const waits = [
      // @ts-expect-error the result may be undefined
      eventually(pod, ({ status }) => status?.conditions?.some(({ type }) => type === 'Ready'), options),
      // @ts-expect-error the result may be undefined
      eventually(pod, isReady, options),
      // @ts-expect-error the result may be undefined
      eventually(pod, async (object) => isReady(object), options),
      // @ts-expect-error the result is a number
      eventually(pod, ({ spec }) => spec?.containers.length ?? 0, options),
      // @ts-expect-error the result may be undefined
      consistently(pod, isReady, { clock, forMs: 0 }),
      eventually(pod, (object) => isReady(object) === true, options),
    ];
    await Promise.allSettled(waits);
  });

  it('accepts the assertions of test runners, which return nothing', async () => {
    const clock = new VirtualClock();
    const read = (): number => 1;
    const waits = [
      eventually(read, (value) => expect(value).toBe(1), { clock }),
      eventually(read, (value) => assert.equal(value, 1), { clock }),
      eventually(read, async (value) => expect(Promise.resolve(value)).resolves.toBe(1), { clock }),
      eventually(read, (value) => void expect(value).toBe(1), { clock }),
    ];
    expect(await settled(clock, Promise.all(waits))).toEqual([1, 1, 1, 1]);
  });

  it('does not treat false as a success if there is no matcher', async () => {
    const clock = new VirtualClock();
    expect(await settled(clock, eventually(reads(false, true), undefined, { clock }))).toBe(true);
    expect(await settled(clock, eventually(reads(false), undefined, { clock, timeoutMs: 0 }))).toMatchObject({
      message: 'no match within 0 ms (1 read): the read returned false',
    });
  });

  it('waits for a successful read if there is no matcher', async () => {
    const clock = new VirtualClock();
    const missing = () => {
      throw notFound({ group: '', resource: 'configmaps' }, 'settings');
    };
    const read = reads<unknown>(missing, missing, version('1', 'dark'));
    expect(await settled(clock, eventually(read, undefined, { clock }))).toMatchObject({ kind: 'ConfigMap' });
    expect(await settled(clock, eventually(missing, toBeAbsent(), { clock }))).toBeUndefined();
  });

  it('shows the difference, the last five versions and the end of the log', async () => {
    const clock = new VirtualClock();
    const log = Array.from({ length: 30 }, (_, line) => `INFO reconciled ${line}`);
    const modes = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const read = reads(...modes.map((mode, index) => version(String(index + 1), mode)));
    const wait = eventually(read, toMatch({ data: { mode: 'dark' } }), { clock, timeoutMs: 2_000, log });
    const { message } = (await settled(clock, wait)) as Error;
    expect(message).toMatch(/^no match within 2000 ms \(\d+ reads\): ConfigMap default\/settings does not match/);
    expect(message).toContain('-     "mode": "dark"\n+     "mode": "g"');
    expect(message).toContain('ConfigMap default/settings, last 5 versions read:');
    expect(message.match(/resourceVersion \d/g)).toEqual([3, 4, 5, 6, 7].map((each) => `resourceVersion ${each}`));
    expect(message).toContain('-     "mode": "f"');
    expect(message).toContain('log of the operator:\nINFO reconciled 10\n');
    expect(message).toMatch(/INFO reconciled 29$/);
  });

  it('takes its default time limit from the environment', async () => {
    const clock = new VirtualClock();
    const never = () =>
      settled(
        clock,
        eventually(
          () => 1,
          () => false,
          { clock },
        ),
      );
    expect(await never()).toMatchObject({ message: expect.stringMatching(/^no match within 4000 ms/) });
    vi.stubEnv('KUBEWRIGHT_EVENTUALLY_TIMEOUT', '1s');
    expect(await never()).toMatchObject({ message: expect.stringMatching(/^no match within 1000 ms/) });
  });

  it.each([
    { timeoutMs: 1_000, intervalMs: 2_000, times: [0, 1_000] },
    { timeoutMs: 1_000, intervalMs: 400, times: [0, 400, 800, 1_000] },
    { timeoutMs: 1_000, intervalMs: 500, times: [0, 500, 1_000] },
    { timeoutMs: 0, intervalMs: 20, times: [0] },
  ])('reads last at the timeout: $timeoutMs ms every $intervalMs ms', async ({ timeoutMs, intervalMs, times }) => {
    const clock = new VirtualClock();
    const seen: number[] = [];
    const read = () => seen.push(clock.monotonic());
    const failed = await settled(
      clock,
      eventually(read, () => false, { clock, timeoutMs, intervalMs }),
    );
    expect(seen).toEqual(times);
    expect(failed).toMatchObject({ name: 'AssertionError' });
    const start = clock.monotonic();
    const elapsed = () => clock.monotonic() - start;
    const isEnd = (ms: number) => ms === times.at(-1);
    expect(await settled(clock, eventually(elapsed, isEnd, { clock, timeoutMs, intervalMs }))).toBe(times.at(-1));
  });

  it('gives the last read one interval to finish', async () => {
    const clock = new VirtualClock();
    const wait = (ms: number) => {
      const end = clock.monotonic() + 1_000;
      const slow = async () => {
        if (clock.monotonic() < end) return 'early';
        await sleep(clock, { ms });
        return 'late';
      };
      const isLate = (value: string) => value === 'late';
      return settled(clock, eventually(slow, isLate, { clock, timeoutMs: 1_000, intervalMs: 100 }));
    };
    expect(await wait(90)).toBe('late');
    expect(await wait(110)).toMatchObject({
      message: 'no match within 1000 ms (11 reads): isLate returned false',
    });
  });

  it('ends a read that does not return', async () => {
    const clock = new VirtualClock();
    const wait = eventually(() => new Promise(() => undefined), undefined, { clock, timeoutMs: 1_000 });
    expect(await settled(clock, wait)).toMatchObject({
      message: 'no match within 1000 ms (1 read): the read did not finish',
    });
    expect(clock.pendingTimers).toBe(0);
  });

  it('ends with the reason of its signal', async () => {
    const clock = new VirtualClock();
    const stop = new AbortController();
    const wait = eventually(
      () => 1,
      () => false,
      { clock, signal: stop.signal },
    );
    stop.abort(new Error('stopped'));
    expect(await settled(clock, wait)).toMatchObject({ message: 'stopped' });
    expect(clock.pendingTimers).toBe(0);
  });
});

describe('consistently', () => {
  it('returns the last value after the full time', async () => {
    const clock = new VirtualClock();
    const wait = consistently(reads(1, 2, 3), (value) => value < 4, { clock, forMs: 2_000 });
    expect(await settled(clock, wait)).toBe(3);
    expect(clock.monotonic()).toBeGreaterThanOrEqual(2_000);
  });

  it('fails at the first value that does not match', async () => {
    const clock = new VirtualClock();
    const wait = consistently(reads(1, 2, 5), (value) => value < 4, { clock });
    expect(await settled(clock, wait)).toMatchObject({
      message: expect.stringMatching(/^no match after \d+ ms, expected a match for 500 ms: the matcher returned false/),
    });
  });
});
