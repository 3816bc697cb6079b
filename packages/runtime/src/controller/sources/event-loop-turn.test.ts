import { systemClock, VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { EventLoopTurn } from './event-loop-turn.ts';

describe('EventLoopTurn', () => {
  it('lets timers run between pieces of work that never wait', async () => {
    const turn = new EventLoopTurn(systemClock);
    let fired = false;
    systemClock.setTimer(1, () => {
      fired = true;
    });
    let pieces = 0;
    for (; !fired && pieces < 10_000_000; pieces++) await (turn.pause() ?? Promise.resolve());
    expect(fired).toBe(true);
  });

  it('never waits while the clock does not advance', () => {
    const turn = new EventLoopTurn(new VirtualClock());
    for (let i = 0; i < 1_000; i++) expect(turn.pause()).toBeUndefined();
  });
});
