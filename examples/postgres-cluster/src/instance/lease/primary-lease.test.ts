import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { TestEnvironment, type TestNamespace } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PrimaryLease } from './primary-lease.ts';

const usual = { durationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };
const long = { durationSeconds: 90, renewDeadlineSeconds: 60, retryPeriodSeconds: 2 };
const { signal } = new AbortController();

describe('PrimaryLease', () => {
  let environment: TestEnvironment;
  let namespace: TestNamespace;
  let clock: VirtualClock;
  let name = '';
  let count = 0;
  let calls = 0;
  let timing = usual;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ env: {} });
    namespace = await environment.namespace();
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    clock = new VirtualClock();
    timing = usual;
    name = `shop-${++count}-primary`;
    await namespace.client.resource(Lease).create(Lease({ metadata: { name, namespace: namespace.name } }));
  });

  const candidate = (
    instance: string,
    options: {
      isAway?: () => boolean;
      losesResponses?: () => boolean;
      confirm?: () => Promise<boolean>;
      /** Delays a call before it is sent, or before its response arrives. */
      hold?: (when: 'before' | 'after') => Promise<void> | undefined;
    } = {},
  ) => {
    const lost: { why: string; withinMs: number }[] = [];
    const client = namespace.client.intercepted(async (call, next) => {
      if (options.isAway?.()) throw new Error('the API server is away');
      calls++;
      try {
        await options.hold?.('before');
        const response = await next(call);
        await options.hold?.('after');
        if (options.losesResponses?.()) throw new Error('the response was lost');
        return response;
      } finally {
        calls--;
      }
    });
    const lease = new PrimaryLease({
      client,
      namespace: namespace.name,
      name,
      instance,
      timing: () => timing,
      clock,
      log: silentLogger,
      confirm: options.confirm ?? (async () => false),
      onLost: (loss) => lost.push(loss),
      onChange: () => undefined,
    });
    return { lease, lost };
  };
  const holder = async () =>
    (await namespace.client.resource(Lease).get({ namespace: namespace.name, name })).spec?.holderIdentity;
  /** Waits for calls that are under way: they take no time on the clock. */
  const settled = async () => {
    do await setImmediate();
    while (calls > 0);
    await setImmediate();
  };
  /** Runs the renewals of a holder for some time. */
  const renew = async (lease: PrimaryLease, ms: number) => {
    const over = new AbortController();
    const running = lease.run(over.signal);
    const until = clock.monotonic() + ms;
    while (clock.monotonic() < until) await clock.advance(500, { afterEach: settled });
    over.abort();
    await running;
  };

  it('is acquired by one instance, and by the next after it was released', async () => {
    const { lease: first } = candidate('shop-1');
    const { lease: second } = candidate('shop-2');
    expect(await first.acquire(signal)).toBe(true);
    expect(await second.acquire(signal)).toBe(false);
    expect([first.state, second.state]).toEqual([
      { state: 'held', holder: 'shop-1' },
      { state: 'taken', holder: 'shop-1' },
    ]);
    await first.release();
    expect(await holder()).toBe('');
    expect(await second.acquire(signal)).toBe(true);
    expect(first.isHeld).toBe(false);
  });

  it('expires after it was abandoned, and is not released', async () => {
    const { lease: first, lost } = candidate('shop-1');
    await first.acquire(signal);
    const { lease: second } = candidate('shop-2');
    first.abandon();
    expect(first.isHeld).toBe(false);
    expect(await second.acquire(signal)).toBe(false);
    await renew(first, 14_500);
    expect(await second.acquire(signal)).toBe(false);
    expect([await holder(), lost]).toEqual(['shop-1', []]);
    await renew(first, 500);
    expect(await second.acquire(signal)).toBe(true);
  });

  it('stays abandoned if a renewal was under way', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    const over = new AbortController();
    const running = lease.run(over.signal);
    await clock.advance(2_000);
    lease.abandon();
    await settled();
    expect(lease.isHeld).toBe(false);
    over.abort();
    await running;
  });

  it.each(['before', 'after'])('is released although a renewal is on its way, %s it was stored', async (when) => {
    let hold: Promise<void> | undefined;
    const { lease, lost } = candidate('shop-1', { hold: (at) => (at === when ? hold : undefined) });
    await lease.acquire(signal);
    const over = new AbortController();
    const running = lease.run(over.signal);
    let go = (): void => undefined;
    hold = new Promise((resolve) => {
      go = resolve;
    });
    await clock.advance(2_000);
    const released = lease.release();
    await setImmediate();
    hold = undefined;
    go();
    await released;
    await settled();
    expect([await holder(), lease.isHeld, lost]).toEqual(['', false, []]);
    over.abort();
    await running;
  });

  it('can be acquired once it was not renewed for its duration', async () => {
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2');
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(14_999);
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(1);
    expect(await second.acquire(signal)).toBe(true);
    expect(await holder()).toBe('shop-2');
  });

  it('is no longer held at the renew deadline, long before another instance can acquire it', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    await clock.advance(9_999);
    expect(lease.isHeld).toBe(true);
    await clock.advance(1);
    expect(lease.isHeld).toBe(false);
  });

  it('is renewed', async () => {
    const { lease, lost } = candidate('shop-1');
    await lease.acquire(signal);
    await renew(lease, 30_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
  });

  it.each([-24, 24])('is neither lost nor acquired early when the clock jumps by %i hours', async (hours) => {
    const { lease: first, lost } = candidate('shop-1');
    const { lease: second } = candidate('shop-2');
    expect(await first.acquire(signal)).toBe(true);
    expect(await second.acquire(signal)).toBe(false);
    clock.jumpWall(hours * 3_600_000);
    expect(await second.acquire(signal)).toBe(false);
    await renew(first, 30_000);
    expect([first.isHeld, lost]).toEqual([true, []]);
    expect(await second.acquire(signal)).toBe(false);
    first.abandon();
    await renew(first, 14_500);
    expect(await second.acquire(signal)).toBe(false);
    await renew(first, 500);
    expect(await second.acquire(signal)).toBe(true);
  });

  it('is lost if the API server is away, and not all others confirm that', async () => {
    let isAway = false;
    const { lease, lost } = candidate('shop-1', { isAway: () => isAway });
    await lease.acquire(signal);
    isAway = true;
    await renew(lease, 12_000);
    // The server has until the Lease expires to stop.
    expect(lost).toEqual([{ why: 'it could not be renewed in time', withinMs: 5_000 }]);
  });

  it('is kept while all others confirm that the API server is away', async () => {
    let isAway = false;
    const { lease, lost } = candidate('shop-1', { isAway: () => isAway, confirm: async () => true });
    await lease.acquire(signal);
    isAway = true;
    await renew(lease, 60_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
    isAway = false;
    await renew(lease, 5_000);
    expect([lease.isHeld, await holder()]).toEqual([true, 'shop-1']);
  });

  it('is not acquired for its duration by an instance that confirmed', async () => {
    const { lease: first } = candidate('shop-1');
    await first.acquire(signal);
    const { lease: second } = candidate('shop-2');
    await second.acquire(signal);
    await clock.advance(10_000);
    expect(second.promise('shop-3', 15_000)).toBe(false);
    expect(second.promise('shop-1', 15_000)).toBe(true);
    await clock.advance(14_999);
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(1);
    expect(await second.acquire(signal)).toBe(true);
  });

  it('is promised for as long as the holder asks, whatever is seen of the Lease', async () => {
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2');
    await second.acquire(signal);
    expect(second.promise('shop-1', 90_000)).toBe(true);
    // Another round of requests does not shorten it.
    expect(second.promise('shop-1', 15_000)).toBe(true);
    await clock.advance(89_999);
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(1);
    expect(await second.acquire(signal)).toBe(true);
  });

  it('is not promised while a request to acquire it may still arrive', async () => {
    let responses = Number.POSITIVE_INFINITY;
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2', { isAway: () => responses-- <= 0 });
    await second.acquire(signal);
    await clock.advance(15_000);
    // The Lease is read, and the response to the write is lost.
    responses = 1;
    await expect(second.acquire(signal)).rejects.toThrow('the API server is away');
    expect(second.promise('shop-1', 15_000)).toBe(false);
  });

  it('is relied on for longer only after it was renewed with the longer times', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    timing = long;
    await clock.advance(10_000);
    expect(lease.isHeld).toBe(false);
    await lease.acquire(signal);
    await clock.advance(59_999);
    expect(lease.isHeld).toBe(true);
  });

  it('is relied on for a shorter time as soon as a renewal with it was sent', async () => {
    let losesResponses = false;
    timing = long;
    const { lease } = candidate('shop-1', { losesResponses: () => losesResponses });
    await lease.acquire(signal);
    losesResponses = true;
    timing = usual;
    await renew(lease, 2_000);
    // The Lease has the short times now, and the holder does not know it.
    await clock.advance(10_000);
    expect(lease.isHeld).toBe(false);
  });

  it('is lost immediately if another instance holds it', async () => {
    const { lease, lost } = candidate('shop-1');
    await lease.acquire(signal);
    const leases = namespace.client.resource(Lease);
    const body = { spec: { holderIdentity: 'shop-2' } };
    await leases.patch({ namespace: namespace.name, name }, { type: 'merge', body });
    await renew(lease, 3_000);
    expect(lost).toEqual([{ why: 'another instance holds it', withinMs: 0 }]);
  });

  it('survives that someone labels it', async () => {
    const { lease, lost } = candidate('shop-1');
    await lease.acquire(signal);
    const body = { metadata: { labels: { a: 'b' } } };
    await namespace.client.resource(Lease).patch({ namespace: namespace.name, name }, { type: 'merge', body });
    await renew(lease, 3_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
  });
});
