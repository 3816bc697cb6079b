import { VirtualClock } from '@kubewright/apimachinery';
import { expect, it } from 'vitest';
import { containedClock } from './contained-clock.ts';

it('reports errors thrown by timers and continues', async () => {
  const clock = new VirtualClock();
  const faults: unknown[] = [];
  const contained = containedClock(clock, (error) => faults.push(error));
  const fault = new Error('injected');
  let later = false;
  contained.setTimer(1, () => {
    throw fault;
  });
  contained.setTimer(2, () => (later = true));
  contained.setTimer(2, () => faults.push('canceled'))[Symbol.dispose]();
  await clock.advance(5);
  expect(faults).toEqual([fault]);
  expect(later).toBe(true);
  expect([contained.now(), contained.monotonic()]).toEqual([clock.now(), clock.monotonic()]);
});
