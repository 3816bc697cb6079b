import { type Clock, systemClock } from '@kubewright/apimachinery';

/** Returns a clock that runs faster than real time, so minutes of timeouts on real sockets pass in seconds. */
export function fastClock(times: number): Clock {
  const startMs = systemClock.now();
  return {
    now: () => startMs + (systemClock.now() - startMs) * times,
    monotonic: () => systemClock.monotonic() * times,
    setTimer: (delayMs, callback, options) => systemClock.setTimer(delayMs / times, callback, options),
  };
}
