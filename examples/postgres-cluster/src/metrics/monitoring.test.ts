import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { metricsIn } from '../../dev/metrics-in.ts';
import { alertRules } from './alert-rules.ts';
import { alerts } from './alerts.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import { dashboard } from './dashboard.ts';
import { instanceMetrics } from './instance-metrics.ts';
import { metricsPage } from './metrics-page.ts';
import { poolerMetrics } from './pooler-metrics.ts';

// To update these files, run `npx vitest run examples/postgres-cluster/src/metrics -u`.
describe('generated files', () => {
  it('monitoring/alerts.yaml is up to date', async () => {
    const text = `# Generated from src/metrics/alerts.ts.\n${stringify(alertRules(), { lineWidth: 0 })}`;
    await expect(text).toMatchFileSnapshot('../../monitoring/alerts.yaml');
  });

  it('grafana/postgres-clusters.json is up to date', async () => {
    await expect(`${JSON.stringify(dashboard(), null, 2)}\n`).toMatchFileSnapshot(
      '../../grafana/postgres-clusters.json',
    );
  });

  it('docs/reference/postgres-metrics.md is up to date', async () => {
    await expect(metricsPage()).toMatchFileSnapshot('../../../../docs/reference/postgres-metrics.md');
  });
});

describe('metricsPage', () => {
  it('names labels in words, in complete sentences', () => {
    expect(metricsPage()).toContain('| The slot on the pod retains more than 10 GiB of WAL. ');
    expect(metricsPage()).toContain('| The cluster has no primary: ');
    expect(metricsPage()).not.toContain('$labels');
  });
});

describe.each([
  { of: 'instance' as const, metrics: instanceMetrics, least: 40 },
  { of: 'pooler' as const, metrics: poolerMetrics, least: 9 },
  { of: 'cluster' as const, metrics: clusterMetrics, least: 6 },
])('the metrics of each $of', ({ of, metrics, least }) => {
  const names = new Set(metrics.map(({ name }) => name));

  it('have unique names, of which exactly the counters end in _total', () => {
    expect(names.size).toBe(metrics.length);
    for (const { name, type } of metrics) expect(name.endsWith('_total')).toBe(type === 'counter');
  });

  it('include all metrics that the alerts and the dashboard use', () => {
    const used = [...metricsIn(JSON.stringify(dashboard()), of), ...metricsIn(JSON.stringify(alerts), of)];
    expect(used.length).toBeGreaterThan(least);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('alerts', () => {
  it('have unique names, a summary, and an action', () => {
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
    for (const { summary, action } of alerts) {
      expect(summary).toMatch(/^\S.*\.$/);
      expect(action).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('are critical only if writes stop or data is at risk', () => {
    expect(alerts.filter(({ severity }) => severity === 'critical').map(({ name }) => name)).toEqual([
      'PostgresNoPrimary',
      'PostgresSeveralPrimaries',
      'PostgresTooFewSynchronousReplicas',
      'PostgresArchiveFailing',
      'PostgresVolumeFull',
      'PostgresTransactionIdsRunOut',
      'PostgresMajorUpgradeSlow',
      'PostgresPoolerUnavailable',
    ]);
  });
});
