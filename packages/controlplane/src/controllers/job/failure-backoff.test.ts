import { describe, expect, it } from 'vitest';
import { FailureBackoff } from './failure-backoff.ts';

const failed = (uid: string, atMs: number) => ({ uid, atMs, succeeded: false });

describe('FailureBackoff', () => {
  it('waits 10 s after a failure, and doubles the delay with each further failure, up to 10 minutes', () => {
    const backoff = new FailureBackoff();
    expect(backoff.remainingMs('job', 0)).toBe(0);
    const waits = Array.from({ length: 9 }, (_, i) => {
      backoff.note('job', [failed(`pod ${i}`, 1_000)]);
      return backoff.remainingMs('job', 1_000) / 1_000;
    });
    expect(waits).toEqual([10, 20, 40, 80, 160, 320, 600, 600, 600]);
  });

  it('counts each pod once and waits from the time of its failure', () => {
    const backoff = new FailureBackoff();
    backoff.note('job', [failed('pod', 1_000)]);
    backoff.note('job', [failed('pod', 1_000)]);
    expect(backoff.remainingMs('job', 8_000)).toBe(3_000);
    expect(backoff.remainingMs('other', 8_000)).toBe(0);
  });

  it('resets after a success', () => {
    const backoff = new FailureBackoff();
    backoff.note('job', [failed('a', 1_000), { uid: 'b', atMs: 2_000, succeeded: true }]);
    expect(backoff.remainingMs('job', 2_000)).toBe(0);
    backoff.note('job', [failed('c', 3_000)]);
    expect(backoff.remainingMs('job', 3_000)).toBe(10_000);
  });
});
