import { alerts } from './alerts.ts';

/** Returns the alerts as a `PrometheusRule` of the Prometheus Operator. */
export function alertRules(): object {
  const rules = alerts.map(({ name, expr, for: duration, severity, summary, action }) => ({
    alert: name,
    expr,
    for: duration,
    labels: { severity },
    annotations: { summary, description: action },
  }));
  return {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'postgres-clusters' },
    spec: { groups: [{ name: 'postgres-clusters', rules }] },
  };
}
