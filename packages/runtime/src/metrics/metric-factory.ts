import { PlainHistogram } from './plain-histogram.ts';
import { PlainMetric } from './plain-metric.ts';
import type { RegisteredMetrics } from './registered-metrics.ts';

/** Creates metrics in one registry. */
export interface MetricFactory {
  counter(name: string, help: string, labelNames: readonly string[]): PlainMetric;
  gauge(name: string, help: string, labelNames: readonly string[]): PlainMetric;
  histogram(name: string, help: string, buckets: readonly number[]): PlainHistogram;
  /**
   * Calls `read` on every scrape to set the owner's values. Several owners can share a metric. When a controller is
   * recreated, for example in a new leadership term, its new `read` replaces the old one, which is called one last
   * time.
   */
  readOnRequest(metric: PlainMetric, owner: string, read: () => void): void;
  /** Stops reading the values that a controller reports. */
  removeReadings(controller: string): void;
}

export function metricFactory(registered: RegisteredMetrics): MetricFactory {
  const readings = new Map<PlainMetric, Map<string, () => void>>();
  const plain = (type: 'counter' | 'gauge') => (name: string, help: string, labelNames: readonly string[]) =>
    registered.add(new PlainMetric({ name, help, type, isLabeled: labelNames.length > 0 }));
  return {
    readOnRequest(metric, owner, read) {
      const owners = readings.get(metric) ?? new Map<string, () => void>();
      readings.set(metric, owners);
      owners.get(owner)?.();
      owners.set(owner, read);
      metric.collect = () => {
        for (const each of owners.values()) each();
      };
    },
    removeReadings(controller) {
      const label = `"controller":${JSON.stringify(controller)}`;
      for (const owners of readings.values()) {
        for (const owner of owners.keys()) if (owner === controller || owner.includes(label)) owners.delete(owner);
      }
    },
    counter: plain('counter'),
    gauge: plain('gauge'),
    histogram: (name, help, buckets) => registered.add(new PlainHistogram({ name, help, buckets })),
  };
}
