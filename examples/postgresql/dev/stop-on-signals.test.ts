import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopOnSignals } from './stop-on-signals.ts';

describe('stopOnSignals', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ])('is asked to stop by %s', (name, exitCode) => {
    const process = new EventEmitter();
    using stop = stopOnSignals(process, new EventEmitter());
    expect([stop.signal.aborted, stop.exitCode]).toEqual([false, 0]);
    process.emit(name, name);
    process.emit('SIGTERM', 'SIGTERM');
    expect([stop.signal.aborted, stop.exitCode]).toEqual([true, exitCode]);
  });

  it('stops when its output is closed', () => {
    const output = new EventEmitter();
    using stop = stopOnSignals(new EventEmitter(), output);
    output.emit('error', new Error('EPIPE'));
    expect(stop.signal.aborted).toBe(true);
  });

  it('keeps running when its log is on a full disk', () => {
    const output = new EventEmitter();
    using stop = stopOnSignals(new EventEmitter(), output);
    output.emit('error', Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
    expect(stop.signal.aborted).toBe(false);
  });

  it('removes its signal handlers', () => {
    const process = new EventEmitter();
    stopOnSignals(process, new EventEmitter())[Symbol.dispose]();
    expect(process.eventNames()).toEqual([]);
  });
});
