import { describe, expect, it } from 'vitest';
import { parseLsn } from '../../lsn.ts';
import { canFollow, parseHistory } from './timeline-history.ts';

const history = parseHistory(
  '1\t0/3000060\tno recovery target specified\n\n2\t0/5000000\tno recovery target specified\n',
);
const primary = { timeline: 3, lsn: parseLsn('0/9000000'), history };

describe('parseHistory', () => {
  it('parses the forks', () => {
    expect(history).toEqual([
      { timeline: 1, lsn: 0x300_0060n },
      { timeline: 2, lsn: 0x500_0000n },
    ]);
  });
});

describe('canFollow', () => {
  it.each([
    ['accepts data on the same timeline', 3, '0/9000000', true],
    ['rejects data on the same timeline with WAL that the primary does not have', 3, '0/9000008', false],
    ['accepts data on an older timeline that ends before the fork', 1, '0/3000000', true],
    ['accepts data on an older timeline that ends at the fork', 2, '0/5000000', true],
    ['rejects data on an older timeline that ends after the fork', 1, '0/3000068', false],
    ['rejects data on a timeline that the primary never had', 4, '0/1000000', false],
  ])('%s', (_, timeline, lsn, follows) => {
    const forks = history.filter((fork) => fork.timeline < timeline);
    expect(canFollow({ timeline, lsn: parseLsn(lsn), history: forks }, primary)).toBe(follows);
  });

  it('rejects a different timeline with the same number', () => {
    const other = parseHistory('1\t0/3000060\tno\n2\t0/4000000\tno\n');
    expect(canFollow({ timeline: 3, lsn: parseLsn('0/4000100'), history: other }, primary)).toBe(false);
    const older = parseHistory('1\t0/2000000\tno\n');
    expect(canFollow({ timeline: 2, lsn: parseLsn('0/3000000'), history: older }, primary)).toBe(false);
  });

  it('rejects data whose history file is missing: its timeline may be another one with the same number', () => {
    expect(canFollow({ timeline: 2, lsn: parseLsn('0/4000000'), history: undefined }, primary)).toBe(false);
    expect(canFollow({ timeline: 3, lsn: parseLsn('0/4000000'), history: undefined }, primary)).toBe(false);
  });
});
