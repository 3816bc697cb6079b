import { seededRandom, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { HandlerContext } from '../handler/event-handler.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { polledResources } from './polled-resources.ts';

function setUp(resources: Record<string, object | Error | undefined>) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  const asked: string[] = [];
  const errors: unknown[] = [];
  const context: HandlerContext = {
    primary: undefined,
    primaryUid: () => undefined,
    enqueue: ({ name }) => void asked.push(name),
  };
  const log = { ...silentLogger, error: (_message: string, fields?: object) => void errors.push(fields) };
  let fetching = 0;
  let most = 0;
  const source = polledResources({
    name: 'buckets',
    everyMs: 10_000,
    keys: () => Object.keys(resources).map((name) => ({ namespace: 'shop', name })),
    concurrency: 2,
    fetch: async ({ name }) => {
      most = Math.max(most, ++fetching);
      await undefined;
      fetching--;
      const found = resources[name];
      if (found instanceof Error) throw found;
      return found;
    },
  });
  const start = { signal: stop.signal, clock, random: seededRandom(1), log };
  const round = async (): Promise<readonly string[]> => {
    asked.length = 0;
    await clock.advance(11_000);
    return [...asked].sort();
  };
  return { source, context, start, asked, errors, round, stop, clock, most: () => most };
}

describe('polledResources', () => {
  it('reconciles every key once, and then keys whose resource changed, appeared or disappeared', async () => {
    const resources: Record<string, object | undefined> = { a: { size: 1 }, b: { size: 1 }, c: undefined };
    const { source, context, start, asked, round, most } = setUp(resources);
    expect(source.get({ namespace: 'shop', name: 'a' })).toBeUndefined();
    await source.start(context, start);
    expect([...asked].sort()).toEqual(['a', 'b', 'c']);
    expect(most()).toBe(2);
    resources['a'] = { size: 1 };
    expect(await round()).toEqual([]);
    resources['b'] = { size: 2 };
    resources['c'] = { size: 0 };
    expect(await round()).toEqual(['b', 'c']);
    expect(source.get({ namespace: 'shop', name: 'b' })).toEqual({ size: 2 });
    resources['a'] = undefined;
    delete resources['b'];
    expect(await round()).toEqual(['a']);
    expect(source.get({ namespace: 'shop', name: 'b' })).toBeUndefined();
  });

  it('keeps the last value after an error, polls the others, and stops with its signal', async () => {
    const resources: Record<string, object | Error> = { a: { size: 1 }, b: { size: 1 } };
    const { source, context, start, errors, round, stop, clock } = setUp(resources);
    await source.start(context, start);
    resources['a'] = new Error('no answer');
    resources['b'] = { size: 2 };
    expect(await round()).toEqual(['b']);
    expect(source.get({ namespace: 'shop', name: 'a' })).toEqual({ size: 1 });
    expect(errors).toMatchObject([{ source: 'buckets', key: 'shop/a' }]);
    stop.abort();
    await clock.advance(1);
    expect(clock.pendingTimers).toBe(0);
  });
});
