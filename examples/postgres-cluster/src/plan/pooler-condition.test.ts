import { expect, it } from 'vitest';
import { type ObservedPooler, poolerCondition } from './pooler-condition.ts';

const ready: ObservedPooler = { instances: 2, ready: 2, isRollingOut: false, failures: [], isPaused: false };
const missing = 'pool-1: cannot start pgbouncer: the program is not installed';

it.each<[string, string, Partial<ObservedPooler>]>([
  ['True', 'PodsReady', {}],
  ['True', 'Paused', { isPaused: true }],
  ['False', 'PodsNotReady', { ready: 1 }],
  ['False', 'PodFails', { ready: 0, failures: [missing] }],
  ['False', 'PodFails', { isRollingOut: true, failures: [missing] }],
  ['True', 'PodsReady', { failures: ['pool-0: ended earlier'] }],
  ['False', 'InvalidParameters', { obstacle: { reason: 'InvalidParameters', message: 'a pooler cannot set "x"' } }],
])('poolerCondition is %s with the reason %s for %j', (status, reason, changes) => {
  expect(poolerCondition({ ...ready, ...changes })).toMatchObject({ type: 'Ready', status, reason });
});
