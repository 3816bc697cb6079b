import { alerts } from './alerts.ts';
import { clusterMetrics } from './cluster-metrics.ts';
import { instanceMetrics } from './instance-metrics.ts';
import type { Metric } from './metric.ts';
import { poolerMetrics } from './pooler-metrics.ts';

/** Returns the reference page of the metrics and alerts. */
export function metricsPage(): string {
  const alert = alerts.map(
    ({ name, severity, expr, for: duration, summary, action }) =>
      `| \`${name}\` | ${severity} | \`${expr.replaceAll('|', '\\|')}\` for ${duration} | ${text(summary)} ${action} |`,
  );
  return `# Metrics and alerts of PostgreSQL clusters

This page lists the metrics and alerts of the example [\`postgres-cluster\`](../examples/postgres-cluster.md). It is generated from
[\`instance-metrics.ts\`](../../examples/postgres-cluster/src/metrics/instance-metrics.ts),
[\`pooler-metrics.ts\`](../../examples/postgres-cluster/src/metrics/pooler-metrics.ts),
[\`cluster-metrics.ts\`](../../examples/postgres-cluster/src/metrics/cluster-metrics.ts) and
[\`alerts.ts\`](../../examples/postgres-cluster/src/metrics/alerts.ts).

- **Scraping.** Each instance serves \`/metrics\` over HTTPS on its port \`status\`, 8000, and requires no client certificate. The server's
  certificate is signed by the cluster's own authority: trust the \`ca.crt\` of the Secret \`NAME-server\`, and verify the name \`NAME-rw\`.
  [\`monitoring/\`](../../examples/postgres-cluster/monitoring) contains a PodMonitor for the cluster \`shop\`.
- **Poolers.** Each pod of a \`PostgresPooler\` serves \`/metrics\` in the same way, on its port \`metrics\`, 8000. Trust the \`ca.crt\` of the Secret
  \`NAME-pooler\`, and verify the name of the pooler.
- **Alerts.** \`monitoring/\` also contains the alerts as a PrometheusRule.
- **Dashboard.** Import [\`postgres-clusters.json\`](../../examples/postgres-cluster/grafana/postgres-clusters.json) in Grafana.
- **The operator** itself serves controller-runtime's metrics on \`/metrics\`, like every operator, and those of clusters on \`/cluster-metrics\`,
  which also cover updates and major upgrades. \`monitoring/\` contains a ServiceMonitor for the latter.

## Metrics

All metrics have the label \`cluster\`. Metrics without a value are left out: while its server does not accept connections, an instance
reports only its own state.

${table(instanceMetrics, ['cluster'])}

## Metrics of poolers

All metrics have the labels \`cluster\` and \`pooler\`. If PgBouncer does not respond, only \`postgres_pooler_up\` and \`postgres_pooler_paused\` have
values.

${table(poolerMetrics, ['cluster', 'pooler'])}

## Metrics of clusters

The operator that leads serves them. They have the labels \`namespace\` and \`cluster\`; keep these with \`honorLabels: true\`.

${table(clusterMetrics, ['namespace', 'cluster'])}

## Alerts

| alert | severity | condition | meaning, and what to do |
|---|---|---|---|
${alert.join('\n')}

## Where to go next

- [PostgreSQL with failover](../examples/postgres-cluster.md): the operator, and what its tests show.
`;
}

/** Returns a table of metrics, without the labels that all of them have. */
function table(metrics: readonly Metric[], common: readonly string[]): string {
  const rows = metrics.map(
    ({ name, type, help, labels }) =>
      `| \`${name}\` | ${type} | ${labels.filter((each) => !common.includes(each)).join(', ')} | ${help} |`,
  );
  return ['| metric | type | other labels | meaning |', '|---|---|---|---|', ...rows].join('\n');
}

/** Replaces Prometheus placeholders such as `{{ $labels.pod }}` with words, and returns a sentence. */
function text(summary: string): string {
  const words = summary.replace(/(\w+) \{\{ \$labels\.\1 \}\}/g, '$1').replace(/\{\{ \$labels\.(\w+) \}\}/g, 'the $1');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
