import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from './system.ts';

const dayMs = 86_400_000;

describe('systemClock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fires a timer on time that exceeds the maximum delay of setTimeout', () => {
    const callback = vi.fn();
    systemClock.setTimer(60 * dayMs, callback);
    vi.advanceTimersByTime(60 * dayMs - 1);
    expect(callback).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1);
    expect(callback).toHaveBeenCalledTimes(1);
  });

  it('cancels a long timer after its first step', () => {
    const callback = vi.fn();
    const timer = systemClock.setTimer(60 * dayMs, callback);
    vi.advanceTimersByTime(30 * dayMs);
    timer[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
    vi.advanceTimersByTime(60 * dayMs);
    expect(callback).not.toHaveBeenCalled();
  });
});
