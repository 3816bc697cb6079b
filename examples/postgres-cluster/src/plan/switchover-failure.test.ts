import { describe, expect, it } from 'vitest';
import { nextFailure, retryDelay } from './switchover-failure.ts';

const nowMs = Date.parse('2026-01-01T00:00:00Z');
const failed = (count: number) => ({
  instance: 'shop-1',
  message: 'the server of shop-1 did not stop cleanly',
  count,
  time: '2026-01-01T00:00:00Z',
});

describe('nextFailure', () => {
  const message = 'the server of shop-1 did not stop cleanly';
  it('counts the failures of one primary', () => {
    expect(nextFailure(undefined, { instance: 'shop-1', message, nowMs })).toEqual(failed(1));
    expect(nextFailure(failed(1), { instance: 'shop-1', message, nowMs })).toEqual(failed(2));
    expect(nextFailure({ ...failed(4), instance: 'shop-2' }, { instance: 'shop-1', message, nowMs })).toEqual(
      failed(1),
    );
  });
});

describe('retryDelay', () => {
  it.each([
    [1, 300],
    [2, 600],
    [4, 2_400],
    [5, 3_600],
    [40, 3_600],
  ])('after %d failures, is %d s', (count, seconds) => {
    const at = (ms: number) => retryDelay(failed(count), { primary: 'shop-1', nowMs: nowMs + ms });
    expect(at(seconds * 1000)).toBeUndefined();
    const next = new Date(nowMs + seconds * 1000).toISOString().replace('.000', '');
    expect(at(seconds * 1000 - 1)).toBe(
      `the last switchover failed (the server of shop-1 did not stop cleanly); the operator retries after ${next}, or when you request a switchover`,
    );
  });

  it('does not delay the switchover of another primary', () => {
    expect(retryDelay(failed(1), { primary: 'shop-2', nowMs })).toBeUndefined();
    expect(retryDelay(undefined, { primary: 'shop-1', nowMs })).toBeUndefined();
  });
});
