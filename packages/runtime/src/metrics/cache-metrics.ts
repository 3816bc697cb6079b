import type { MetricFactory } from './metric-factory.ts';
import type { CacheGauges } from './runtime-metrics.ts';

/** Cache metrics, by kind. */
export function cacheMetrics(make: MetricFactory, read: () => readonly CacheGauges[]): void {
  const objects = make.gauge('kubewright_cache_objects', 'Objects in the cache', ['kind']);
  const bytes = make.gauge('kubewright_cache_bytes', 'Off-heap memory of cached objects in bytes', ['kind']);
  const age = make.gauge('kubewright_watch_last_event_age_seconds', 'Time since the last watch event', ['kind']);
  const lag = make.gauge('kubewright_cache_lag_seconds', 'Time for which the cache has lagged behind the API server', [
    'kind',
  ]);
  const watches = make.counter('kubewright_cache_watches_total', 'Watches opened', ['kind']);
  const lists = make.counter('kubewright_cache_lists_total', 'List requests started', ['kind']);
  make.readOnRequest(objects, '', () => {
    watches.reset();
    lists.reset();
    // One kind may have several caches, one per namespace. Counts are summed; for times, the worst value is reported.
    const worst = new Map<string, { age: number; lag: number; objects: number; bytes: number }>();
    for (const cache of read()) {
      const { kind } = cache;
      const sum = worst.get(kind) ?? { age: 0, lag: 0, objects: 0, bytes: 0 };
      worst.set(kind, {
        age: Math.max(sum.age, cache.ageSeconds),
        lag: Math.max(sum.lag, cache.lagSeconds),
        objects: sum.objects + cache.objects,
        bytes: sum.bytes + cache.bytes,
      });
      watches.inc({ kind }, cache.watches);
      lists.inc({ kind }, cache.lists);
    }
    for (const [kind, sum] of worst) {
      objects.set({ kind }, sum.objects);
      bytes.set({ kind }, sum.bytes);
      age.set({ kind }, sum.age);
      lag.set({ kind }, sum.lag);
    }
  });
}
