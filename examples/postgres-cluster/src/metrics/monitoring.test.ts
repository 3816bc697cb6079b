import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { metricsIn } from '../../dev/metrics-in.ts';
import { alertRules } from './alert-rules.ts';
import { alerts } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { instanceMetrics } from './instance-metrics.ts';
import { metricsPage } from './metrics-page.ts';

// `npx vitest run examples/postgres-cluster/src/metrics -u` writes these files.
describe('generated files', () => {
  it('monitoring/alerts.yaml is current', async () => {
    const text = `# Generated from src/metrics/alerts.ts.\n${stringify(alertRules(), { lineWidth: 0 })}`;
    await expect(text).toMatchFileSnapshot('../../monitoring/alerts.yaml');
  });

  it('grafana/postgres-clusters.json is current', async () => {
    await expect(`${JSON.stringify(dashboard(), null, 2)}\n`).toMatchFileSnapshot(
      '../../grafana/postgres-clusters.json',
    );
  });

  it('the page of the metrics is current', async () => {
    await expect(metricsPage()).toMatchFileSnapshot('../../../../docs/reference/postgres-metrics.md');
  });
});

describe('instanceMetrics', () => {
  const names = new Set(instanceMetrics.map(({ name }) => name));

  it('has each name once, with the suffix of counters', () => {
    expect(names.size).toBe(instanceMetrics.length);
    for (const { name, type } of instanceMetrics) expect(name.endsWith('_total')).toBe(type === 'counter');
  });

  it('has all metrics that the alerts and the dashboard use', () => {
    const used = [...metricsIn(JSON.stringify(dashboard())), ...metricsIn(JSON.stringify(alerts))];
    expect(used.length).toBeGreaterThan(40);
    expect(used.filter((name) => !names.has(name))).toEqual([]);
  });
});

describe('alerts', () => {
  it('have a name each, and say what to do', () => {
    expect(new Set(alerts.map(({ name }) => name)).size).toBe(alerts.length);
    for (const { summary, action } of alerts) {
      expect(summary).toMatch(/^\S.*\.$/);
      expect(action).toMatch(/^[A-Z].*\.$/);
    }
  });

  it('are critical only if writes stop, or data is at risk', () => {
    expect(alerts.filter(({ severity }) => severity === 'critical').map(({ name }) => name)).toEqual([
      'PostgresNoPrimary',
      'PostgresSeveralPrimaries',
      'PostgresTooFewSynchronousReplicas',
      'PostgresArchiveFailing',
      'PostgresVolumeFull',
      'PostgresTransactionIdsRunOut',
    ]);
  });
});
