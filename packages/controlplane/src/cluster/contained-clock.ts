import type { Clock } from '@kubewright/apimachinery';

/** Returns a clock whose timers cannot crash the process: errors thrown by callbacks are reported instead. */
export function containedClock(clock: Clock, onFault: (error: unknown) => void): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    setTimer(delayMs, callback, options) {
      const contained = (): void => {
        try {
          callback();
        } catch (error) {
          onFault(error);
        }
      };
      return clock.setTimer(delayMs, contained, options);
    },
  };
}
