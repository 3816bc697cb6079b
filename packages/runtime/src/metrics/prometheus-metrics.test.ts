import { describe, expect, it } from 'vitest';
import { prometheusMetrics } from './prometheus-metrics.ts';

describe('prometheusMetrics', () => {
  it('continues counting when a controller is recreated, as happens in each leadership term', async () => {
    const metrics = prometheusMetrics();
    for (let term = 0; term < 3; term++) {
      const gauges = { workingFor: () => [1_000 * term] };
      const { controller, queue } = metrics.controller('site', { maxConcurrentReconciles: 1, gauges });
      queue.added();
      queue.depthChanged(0, 1);
      queue.depthChanged(0, -1);
      queue.handedOut(0.1);
      controller.activeWorkers(1);
      controller.reconciled('success', 0.1);
      controller.activeWorkers(-1);
    }
    const { text } = await metrics.render();
    const shown = (await metrics.render()).text;
    for (const line of [
      'workqueue_adds_total{name="site",controller="site"} 3',
      'workqueue_depth{name="site",controller="site",priority="0"} 0',
      'workqueue_queue_duration_seconds_count{name="site",controller="site"} 3',
      'workqueue_unfinished_work_seconds{name="site",controller="site"} 2',
      'controller_runtime_reconcile_total{controller="site",result="success"} 3',
      'controller_runtime_active_workers{controller="site"} 0',
    ]) {
      expect(text.split('\n').filter((each) => each === line)).toHaveLength(1);
      expect(shown).toContain(line);
    }
  });
});
