import type { Clock } from '@kubewright/apimachinery';

/** A clock whose timers fire immediately. Records their delays. */
export class FastClock implements Clock {
  readonly delays: number[] = [];

  now(): number {
    return Date.parse('2026-01-01T00:00:00Z');
  }

  monotonic(): number {
    return 0;
  }

  setTimer(delayMs: number, callback: () => void): Disposable {
    this.delays.push(delayMs);
    const timer = setImmediate(callback);
    return { [Symbol.dispose]: () => clearImmediate(timer) };
  }
}
