import { expect, it } from 'vitest';
import { stepOf } from './steps.ts';
import { parseTarget, type TraceTarget } from './target.ts';

const target = parseTarget('deployment/web') as TraceTarget;
const pod = { object: 'Pod web-1-a', time: '', resourceVersion: '1' };

it.each([
  ['kubelet', 'status: Running, 1 of 1 containers ready', '11-12'],
  ['virtual-kubelet', 'status: Running, 1 of 1 containers ready', '11-12'],
  ['kube-scheduler', 'status: Pending, 0 of 0 containers ready', '5-6'],
  ['default-scheduler', 'FailedScheduling: no nodes available', '5-6'],
  ['kubelet', 'Started: Container started', '9-10'],
])('numbers what %s does to a pod: %s', (component, what, step) => {
  expect(stepOf({ ...pod, component, what }, target)).toBe(step);
});
