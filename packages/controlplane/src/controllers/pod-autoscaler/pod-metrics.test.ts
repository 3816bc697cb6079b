import { describe, expect, it } from 'vitest';
import { type PodMetrics, usageOf } from './pod-metrics.ts';

const measured: PodMetrics = {
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: 'a' },
  timestamp: '2026-01-02T03:04:05Z',
  window: '30s',
  containers: [
    { name: 'web', usage: { cpu: '100m', memory: '1Ki' } },
    { name: 'log', usage: { cpu: '50m', memory: '1Ki' } },
  ],
};
const usage = (resource: string, container?: string) =>
  [...usageOf([measured], { resource, container }).values()].map(({ milli }) => milli);

describe('usageOf', () => {
  it('sums the usage of all containers, or reads one container', () => {
    expect([usage('cpu'), usage('cpu', 'log')]).toEqual([[150], [50]]);
  });

  it.each(['gpu', 'constructor', 'toString'])('leaves out a pod without a measurement of %s', (resource) => {
    expect(usage(resource)).toEqual([]);
  });
});
