import type { Metric } from './metric.ts';

const gauge = (name: string, help: string, ...labels: string[]): Metric => ({
  name: `postgres_pooler_${name}`,
  type: 'gauge',
  help,
  labels: ['cluster', 'pooler', ...labels],
});
const counter = (...args: Parameters<typeof gauge>): Metric => ({ ...gauge(...args), type: 'counter' });

/** The metrics that each pod of a pooler serves. The alerts and the dashboard use these names. */
export const poolerMetrics: readonly Metric[] = [
  gauge('up', 'Whether PgBouncer responds on its admin console.'),
  gauge('info', 'Always 1. The label is the version of PgBouncer.', 'version'),
  gauge('paused', 'Whether the pooler is paused, so that clients wait.'),
  gauge('max_clients', 'The setting max_client_conn.'),
  gauge('clients', 'Client connections: active, or waiting for a server connection.', 'database', 'user', 'state'),
  gauge('servers', 'Connections to the cluster: active, idle, used, tested or login.', 'database', 'user', 'state'),
  gauge(
    'max_wait_seconds',
    'Time for which the oldest waiting client has waited for a server connection.',
    'database',
    'user',
  ),
  counter('transactions_total', 'Transactions.', 'database'),
  counter('queries_total', 'Queries.', 'database'),
  counter('received_bytes_total', 'Bytes received from clients.', 'database'),
  counter('sent_bytes_total', 'Bytes sent to clients.', 'database'),
  counter('transaction_seconds_total', 'Time spent in transactions.', 'database'),
  counter('query_seconds_total', 'Time spent in queries.', 'database'),
  counter('wait_seconds_total', 'Time that clients have waited for server connections.', 'database'),
];
