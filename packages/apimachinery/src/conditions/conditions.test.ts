import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../clock/virtual.ts';
import { isConditionFalse, isConditionTrue, removeCondition, setCondition } from './conditions.ts';

describe('setCondition', () => {
  it('changes the transition time only when the status changes', async () => {
    const clock = new VirtualClock();
    const first = setCondition(undefined, { type: 'Ready', status: 'False', reason: 'Starting' }, clock);
    await clock.advance(60_000);
    const second = setCondition(first, { type: 'Ready', status: 'False', reason: 'Waiting' }, clock);
    expect(second[0]).toMatchObject({ reason: 'Waiting', lastTransitionTime: '2026-01-01T00:00:00Z' });
    const third = setCondition(second, { type: 'Ready', status: 'True', reason: 'Up' }, clock);
    expect(third[0]).toMatchObject({ status: 'True', lastTransitionTime: '2026-01-01T00:01:00Z' });
    expect(isConditionTrue(third, 'Ready')).toBe(true);
    expect(isConditionFalse(third, 'Gone')).toBe(false);
    expect(removeCondition(third, 'Ready')).toEqual([]);
  });

  it('returns the same list when nothing changes', async () => {
    const clock = new VirtualClock();
    const update = { type: 'Ready', status: 'True', reason: 'Up', message: 'up', observedGeneration: 3 } as const;
    const list = setCondition([], update, clock);
    await clock.advance(5000);
    expect(setCondition(list, update, clock)).toBe(list);
  });
});
