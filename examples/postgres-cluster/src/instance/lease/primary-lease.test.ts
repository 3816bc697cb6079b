import { setImmediate } from 'node:timers/promises';
import { VirtualClock } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { TestEnvironment, type TestNamespace } from '@kubewright/controlplane';
import { silentLogger } from '@kubewright/runtime';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PrimaryLease } from './primary-lease.ts';

const defaultTiming = { durationSeconds: 15, renewDeadlineSeconds: 10, retryPeriodSeconds: 2 };
const longTiming = { durationSeconds: 90, renewDeadlineSeconds: 60, retryPeriodSeconds: 2 };
const { signal } = new AbortController();

describe('PrimaryLease', () => {
  let environment: TestEnvironment;
  let namespace: TestNamespace;
  let clock: VirtualClock;
  let name = '';
  let count = 0;
  let calls = 0;
  let timing = defaultTiming;
  beforeAll(async () => {
    environment = await TestEnvironment.start({ env: {} });
    namespace = await environment.namespace();
  });
  afterAll(() => environment?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    clock = new VirtualClock();
    timing = defaultTiming;
    name = `shop-${++count}-primary`;
    await namespace.client.resource(Lease).create(Lease({ metadata: { name, namespace: namespace.name } }));
  });

  const candidate = (
    instance: string,
    options: {
      pod?: string;
      isUnreachable?: () => boolean;
      losesResponses?: () => boolean;
      confirm?: () => Promise<boolean>;
      /** Delays a call before it is sent, or before its response arrives. */
      delay?: (when: 'before' | 'after') => Promise<void> | undefined;
    } = {},
  ) => {
    const lost: { why: string; withinMs: number }[] = [];
    const client = namespace.client.intercepted(async (call, next) => {
      if (options.isUnreachable?.()) throw new Error('the API server is unreachable');
      calls++;
      try {
        await options.delay?.('before');
        const response = await next(call);
        await options.delay?.('after');
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
      pod: options.pod ?? `${instance}-pod`,
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
  /** Waits until all calls in progress have ended. Calls take no virtual time. */
  const settled = async () => {
    do await setImmediate();
    while (calls > 0);
    await setImmediate();
  };
  /** Renews a held Lease for the given virtual time. */
  const renew = async (lease: PrimaryLease, ms: number) => {
    const stopping = new AbortController();
    const running = lease.run(stopping.signal);
    const until = clock.monotonic() + ms;
    while (clock.monotonic() < until) await clock.advance(500, { afterEach: settled });
    stopping.abort();
    await running;
  };

  it('is held by one instance at a time, and can be acquired after a release', async () => {
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

  it('is not released when it is abandoned: other instances wait until it expires', async () => {
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

  it('stays abandoned even if a renewal is in progress', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    const stopping = new AbortController();
    const running = lease.run(stopping.signal);
    await clock.advance(2_000);
    lease.abandon();
    await settled();
    expect(lease.isHeld).toBe(false);
    stopping.abort();
    await running;
  });

  it.each(['before', 'after'])(
    'can be released while a renewal is in progress, %s the API server stores the renewal',
    async (when) => {
      let hold: Promise<void> | undefined;
      const { lease, lost } = candidate('shop-1', { delay: (at) => (at === when ? hold : undefined) });
      await lease.acquire(signal);
      const stopping = new AbortController();
      const running = lease.run(stopping.signal);
      let proceed = (): void => undefined;
      hold = new Promise((resolve) => {
        proceed = resolve;
      });
      await clock.advance(2_000);
      const released = lease.release();
      await setImmediate();
      hold = undefined;
      proceed();
      await released;
      await settled();
      expect([await holder(), lease.isHeld, lost]).toEqual(['', false, []]);
      stopping.abort();
      await running;
    },
  );

  it('can be acquired once it has not been renewed for its duration', async () => {
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2');
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(14_999);
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(1);
    expect(await second.acquire(signal)).toBe(true);
    expect(await holder()).toBe('shop-2');
  });

  it('can be acquired by another pod of the instance only after it has expired', async () => {
    const { lease: first } = candidate('shop-1', { pod: 'uid-1' });
    await first.acquire(signal);
    expect(await candidate('shop-1', { pod: 'uid-1' }).lease.acquire(signal)).toBe(true);
    const { lease: second } = candidate('shop-1', { pod: 'uid-2' });
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(15_000);
    expect(await second.acquire(signal)).toBe(true);
    // The earlier pod does not release the Lease of its successor.
    await first.release();
    expect([await holder(), second.isHeld]).toEqual(['shop-1', true]);
  });

  it('is no longer held at the renew deadline, long before another instance can acquire it', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    await clock.advance(9_999);
    expect(lease.isHeld).toBe(true);
    await clock.advance(1);
    expect(lease.isHeld).toBe(false);
  });

  it('stays held while it is renewed', async () => {
    const { lease, lost } = candidate('shop-1');
    await lease.acquire(signal);
    await renew(lease, 30_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
  });

  it.each([-24, 24])('is neither lost nor acquired early when the wall clock jumps by %i hours', async (hours) => {
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

  it('is lost if the API server is unreachable, unless all other instances confirm that they follow the holder', async () => {
    let isUnreachable = false;
    const { lease, lost } = candidate('shop-1', { isUnreachable: () => isUnreachable });
    await lease.acquire(signal);
    isUnreachable = true;
    await renew(lease, 12_000);
    // The server must stop before the Lease expires, 5 s later.
    expect(lost).toEqual([{ why: 'the Lease could not be renewed in time', withinMs: 5_000 }]);
  });

  it('is kept while the API server is unreachable and all other instances confirm that they follow the holder', async () => {
    let isUnreachable = false;
    const { lease, lost } = candidate('shop-1', { isUnreachable: () => isUnreachable, confirm: async () => true });
    await lease.acquire(signal);
    isUnreachable = true;
    await renew(lease, 60_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
    isUnreachable = false;
    await renew(lease, 5_000);
    expect([lease.isHeld, await holder()]).toEqual([true, 'shop-1']);
  });

  it('cannot be acquired by an instance that has promised not to, until the promise ends', async () => {
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

  it('keeps a promise for as long as the holder requested, even beyond the duration of the Lease', async () => {
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2');
    await second.acquire(signal);
    expect(second.promise('shop-1', 90_000)).toBe(true);
    // A later request does not shorten the promise.
    expect(second.promise('shop-1', 15_000)).toBe(true);
    await clock.advance(89_999);
    expect(await second.acquire(signal)).toBe(false);
    await clock.advance(1);
    expect(await second.acquire(signal)).toBe(true);
  });

  it('makes no promise while its own request to acquire the Lease may still take effect', async () => {
    let responses = Number.POSITIVE_INFINITY;
    await candidate('shop-1').lease.acquire(signal);
    const { lease: second } = candidate('shop-2', { isUnreachable: () => responses-- <= 0 });
    await second.acquire(signal);
    await clock.advance(15_000);
    // The next read succeeds, and the write after it fails.
    responses = 1;
    await expect(second.acquire(signal)).rejects.toThrow('the API server is unreachable');
    expect(second.promise('shop-1', 15_000)).toBe(false);
  });

  it('is held for longer only after a renewal with the longer timing', async () => {
    const { lease } = candidate('shop-1');
    await lease.acquire(signal);
    timing = longTiming;
    await clock.advance(10_000);
    expect(lease.isHeld).toBe(false);
    await lease.acquire(signal);
    await clock.advance(59_999);
    expect(lease.isHeld).toBe(true);
  });

  it('is held for a shorter time as soon as a renewal with the shorter timing is sent', async () => {
    let losesResponses = false;
    timing = longTiming;
    const { lease } = candidate('shop-1', { losesResponses: () => losesResponses });
    await lease.acquire(signal);
    losesResponses = true;
    timing = defaultTiming;
    await renew(lease, 2_000);
    // The stored Lease has the shorter timing, but the holder has not received the response.
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
    expect(lost).toEqual([{ why: 'another instance holds the Lease', withinMs: 0 }]);
  });

  it('stays held if a client labels it', async () => {
    const { lease, lost } = candidate('shop-1');
    await lease.acquire(signal);
    const body = { metadata: { labels: { a: 'b' } } };
    await namespace.client.resource(Lease).patch({ namespace: namespace.name, name }, { type: 'merge', body });
    await renew(lease, 3_000);
    expect([lease.isHeld, lost]).toEqual([true, []]);
  });
});
