import { VirtualClock } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { within } from './within.ts';

describe('within', () => {
  it('rejects if a call takes too long, even if the call ignores its signal', async () => {
    const clock = new VirtualClock();
    const call = within(() => new Promise(() => undefined), { clock, ms: 100 });
    const failed = expect(call).rejects.toThrow('no response within 100 ms');
    await clock.advance(100);
    await failed;
  });

  it('returns the result, and leaves no timer behind', async () => {
    const clock = new VirtualClock();
    expect(await within(async () => 'done', { clock, ms: 100 })).toBe('done');
    expect(clock.pendingTimers).toBe(0);
  });

  it('rejects with the reason of a signal that is already aborted', async () => {
    const reason = new Error('stopped');
    const call = () => new Promise(() => undefined);
    const options = { clock: new VirtualClock(), ms: 100, signal: AbortSignal.abort(reason) };
    await expect(within(call, options)).rejects.toBe(reason);
  });

  it('rejects when its outer signal is aborted', async () => {
    const outer = new AbortController();
    const call = within(() => new Promise(() => undefined), {
      clock: new VirtualClock(),
      ms: 100,
      signal: outer.signal,
    });
    outer.abort(new Error('stopped'));
    await expect(call).rejects.toThrow('stopped');
  });
});
