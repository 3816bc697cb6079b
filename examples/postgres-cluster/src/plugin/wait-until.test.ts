import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import type { Session } from './command.ts';
import { waitSeconds, waitUntil } from './wait-until.ts';

describe('waitSeconds', () => {
  it('reads the flags', () => {
    expect(waitSeconds({})).toBeUndefined();
    expect(waitSeconds({ wait: true })).toBe(600);
    expect(waitSeconds({ wait: true, timeout: '0.5' })).toBe(0.5);
  });

  it.each([
    [{ wait: true, timeout: 'abc' }, '--timeout must be a number of seconds greater than 0, got abc'],
    [{ wait: true, timeout: '0' }, '--timeout must be a number of seconds greater than 0, got 0'],
    [{ timeout: '5' }, '--timeout has no effect without --wait'],
  ])('rejects %j', (flags, message) => {
    expect(() => waitSeconds(flags)).toThrow(message);
  });
});

describe('waitUntil', () => {
  it('reports why the operation has not finished when the time is over', async () => {
    const clock = new VirtualClock();
    // Only these parts of the session are used.
    const session = { clock, signal: new AbortController().signal } as unknown as Session;
    const waited = waitUntil('the cluster to be restored', {
      seconds: 2,
      session,
      check: async () => undefined,
      obstacle: async () => 'the archive is empty',
    });
    const failed = expect(waited).rejects.toThrow(
      'timed out after 2 s waiting for the cluster to be restored: the archive is empty',
    );
    await clock.advance(2_500);
    await failed;
  });
});
