import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { EarlyStop } from './early-stop.mjs';

describe('EarlyStop', () => {
  it('remembers the first signal, as shells count', async () => {
    const process = new EventEmitter();
    using early = new EarlyStop(process);
    expect(await early.asked()).toBe(0);
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect(await early.asked()).toBe(130);
  });

  it('hears a real signal that came while the loop was held', async () => {
    using early = new EarlyStop(process);
    process.kill(process.pid, 'SIGTERM');
    const until = performance.now() + 50;
    while (performance.now() < until);
    expect(await early.asked()).toBe(143);
  });

  it('gives the signals back', () => {
    const process = new EventEmitter();
    new EarlyStop(process)[Symbol.dispose]();
    expect(process.eventNames()).toEqual([]);
  });
});
