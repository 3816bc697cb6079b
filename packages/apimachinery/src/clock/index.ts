export { type Clock, sleep, type Timer, type TimerOptions } from './clock.ts';
export { type Random, seededRandom } from './random.ts';
export { systemClock, systemRandom } from './system.ts';
export { VirtualClock } from './virtual.ts';
