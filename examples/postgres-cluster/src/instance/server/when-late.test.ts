import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { whenLate } from './when-late.ts';

describe('whenLate', () => {
  it('calls onLate once if the promise is late, and still waits for its result', async () => {
    const clock = new VirtualClock();
    let calls = 0;
    let end: (value: string) => void = () => undefined;
    const ending = new Promise<string>((resolve) => {
      end = resolve;
    });
    const late = whenLate(ending, { clock, ms: 100, onLate: () => calls++ });
    await clock.advance(99);
    expect(calls).toBe(0);
    await clock.advance(1_000);
    expect(calls).toBe(1);
    end('ended');
    expect(await late).toBe('ended');
  });

  it('does not call onLate if the promise resolves in time, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    const onLate = () => expect.unreachable();
    expect(await whenLate(Promise.resolve('ended'), { clock, ms: 100, onLate })).toBe('ended');
    expect(clock.pendingTimers).toBe(0);
  });
});
