import { describe, expect, it } from 'vitest';
import { recoveryTarget } from './recovery-target.ts';

describe('recoveryTarget', () => {
  it.each([
    [{}, {}],
    [{ time: '2026-11-23T16:04:05+01:00' }, { time: '2026-11-23T16:04:05+01:00' }],
    [
      { time: '2026-11-23 15:04:05Z', exclusive: true },
      { time: '2026-11-23T15:04:05Z', exclusive: true },
    ],
    [{ time: '2026-11-23 15:04:05.123456+00' }, { time: '2026-11-23T15:04:05.123456+00:00' }],
    [{ time: '2026-11-23T15:04:05+0530' }, { time: '2026-11-23T15:04:05+05:30' }],
    [{ lsn: '0/50000a0' }, { lsn: '0/50000A0' }],
    [{ 'restore-point': 'before' }, { name: 'before' }],
    [{ immediate: true }, { immediate: true }],
  ])('parses %j', (flags, target) => {
    expect(recoveryTarget(flags)).toEqual(target);
  });

  it.each([
    [{ time: '2026-11-23T15:04:05' }, '--time must have a date, a time and a zone'],
    [{ time: '2026-13-23T15:04:05Z' }, '--time must have a date, a time and a zone'],
    [{ time: 'yesterday' }, '--time must have a date, a time and a zone'],
    [{ lsn: '5000060' }, '--lsn must be an LSN such as 0/5000060, got 5000060'],
    [{ lsn: '0/1', immediate: true }, 'set only one of'],
    [{ exclusive: true }, '--exclusive requires --time or --lsn'],
  ])('rejects %j', (flags, why) => {
    expect(() => recoveryTarget(flags)).toThrow(why);
  });
});
