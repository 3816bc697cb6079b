interface Panel {
  readonly title: string;
  readonly unit: string;
  /** Expressions by legend. `$selector` is replaced with the selected cluster's labels. */
  readonly series: Readonly<Record<string, string>>;
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const one = (metric: string): string => `postgres_instance_${metric}{$selector}`;
const clusters = (metric: string): string => `postgres_cluster_${metric}{$selector}`;
const pooled = (metric: string): string => `postgres_pooler_${metric}{$selector}`;
const panel = (title: string, unit: string, series: Panel['series']): Panel => ({ title, unit, series });

const rows: readonly Row[] = [
  {
    title: 'Availability',
    panels: [
      panel('Primary', 'none', { '{{pod}}': one('primary') }),
      panel('Servers accepting connections', 'none', { '{{pod}}': one('up') }),
      panel('Timeline', 'none', { '{{pod}}': one('timeline') }),
      panel('Server uptime', 's', { '{{pod}}': `time() - ${one('start_time_seconds')}` }),
    ],
  },
  {
    title: 'Replication',
    panels: [
      panel('Replica lag', 'bytes', { '{{replica}}': one('replica_lag_bytes') }),
      panel('Replica lag', 's', { '{{replica}}': one('replica_lag_seconds') }),
      panel('Replay lag', 's', { '{{pod}}': one('replay_lag_seconds') }),
      panel('Synchronous replicas', 'none', {
        connected: `sum(${one('synchronous_replicas')})`,
        required: `max(${one('required_synchronous_replicas')})`,
      }),
      panel('WAL written', 'Bps', { '{{pod}}': `deriv(${one('wal_position_bytes')}[5m])` }),
      panel('WAL retained by slots', 'bytes', { '{{pod}} {{slot}}': one('slot_retained_bytes') }),
    ],
  },
  {
    title: 'Archive and backups',
    panels: [
      panel('Age of the last base backup', 's', {
        '{{cluster}}': `max by (cluster) (${one('last_backup_age_seconds')})`,
      }),
      panel('Recovery window', 's', {
        '{{cluster}}': `time() - max by (cluster) (${one('first_recoverability_point_seconds')})`,
      }),
      panel('Archived WAL files', 'none', { '{{pod}}': `increase(${one('wal_archived_total')}[5m])` }),
      panel('Archive failures', 'none', { '{{pod}}': `increase(${one('wal_archive_failures_total')}[5m])` }),
      panel('WAL files waiting to be archived', 'none', { '{{pod}}': one('wal_archive_waiting_files') }),
    ],
  },
  {
    title: 'Load',
    panels: [
      panel('Connections', 'none', {
        '{{pod}} {{state}}': one('connections'),
        '{{pod}} max': one('max_connections'),
      }),
      panel('Transactions', 'ops', {
        '{{pod}} {{database}} committed': `rate(${one('commits_total')}[5m])`,
        '{{pod}} {{database}} rolled back': `rate(${one('rollbacks_total')}[5m])`,
      }),
      panel('Oldest transaction', 's', { '{{pod}}': one('oldest_transaction_seconds') }),
      panel('Blocked connections', 'none', { '{{pod}}': one('blocked_connections') }),
      panel('Deadlocks', 'none', { '{{pod}} {{database}}': `increase(${one('deadlocks_total')}[5m])` }),
      panel('Temporary files', 'Bps', { '{{pod}} {{database}}': `rate(${one('temporary_bytes_total')}[5m])` }),
    ],
  },
  {
    title: 'Storage',
    panels: [
      panel('Free space', 'bytes', { '{{pod}}': one('volume_free_bytes') }),
      panel('WAL directory', 'bytes', { '{{pod}}': one('wal_bytes') }),
      panel('Databases', 'bytes', { '{{database}}': `max by (database) (${one('database_size_bytes')})` }),
      panel('Transaction ID age', 'none', { '{{database}}': `max by (database) (${one('transaction_id_age')})` }),
    ],
  },
  {
    title: 'Updates and major upgrades',
    panels: [
      panel('Outdated instances', 'none', { '{{cluster}}': clusters('outdated_instances') }),
      panel('Waits for a switchover', 'none', { '{{cluster}}': clusters('update_needs_user') }),
      panel('Major upgrade', 'none', { '{{from}} to {{to}}: {{phase}}': clusters('major_upgrade') }),
      panel('Duration of the major upgrade', 's', {
        '{{cluster}}': `time() - ${clusters('major_upgrade_started_seconds')}`,
      }),
      panel('Ready instances', 'none', {
        ready: clusters('ready_instances'),
        existing: clusters('instances'),
      }),
      panel('Healthy', 'none', { '{{cluster}}': clusters('healthy') }),
    ],
  },
  {
    title: 'Poolers',
    panels: [
      panel('Clients', 'none', {
        '{{pooler}} {{state}}': `sum by (pooler, state) (${pooled('clients')})`,
        '{{pooler}} max': `sum by (pooler) (${pooled('max_clients')})`,
      }),
      panel('Connections to the cluster', 'none', {
        '{{pooler}} {{state}}': `sum by (pooler, state) (${pooled('servers')})`,
      }),
      panel('Longest wait for a connection', 's', {
        '{{pooler}}': `max by (pooler) (${pooled('max_wait_seconds')})`,
      }),
      panel('Transactions through poolers', 'ops', {
        '{{pooler}} {{database}}': `sum by (pooler, database) (rate(${pooled('transactions_total')}[5m]))`,
      }),
      panel('Average wait per transaction', 's', {
        '{{pooler}} {{database}}': `sum by (pooler, database) (rate(${pooled('wait_seconds_total')}[5m])) / sum by (pooler, database) (rate(${pooled('transactions_total')}[5m]))`,
      }),
      panel('Traffic of clients', 'Bps', {
        '{{pooler}} received': `sum by (pooler) (rate(${pooled('received_bytes_total')}[5m]))`,
        '{{pooler}} sent': `sum by (pooler) (rate(${pooled('sent_bytes_total')}[5m]))`,
      }),
    ],
  },
];

const width = 8;
const height = 7;
const columns = 3;

/** Returns the Grafana dashboard. */
export function dashboard(): object {
  let y = 0;
  let id = 0;
  const panels = rows.flatMap(({ title, panels: below }) => {
    const head = { id: ++id, type: 'row', title, gridPos: { x: 0, y, w: columns * width, h: 1 } };
    const shown = below.map((each, index) => graph(each, { id: ++id, index, top: y + 1 }));
    y += 1 + Math.ceil(below.length / columns) * height;
    return [head, ...shown];
  });
  return {
    uid: 'kubewright-postgres-clusters',
    title: 'PostgreSQL clusters',
    tags: ['postgresql', 'kubewright'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    templating: { list: [datasource, variable('namespace', 'up'), variable('cluster', 'up{namespace="$namespace"}')] },
    panels,
  };
}

const datasource = { name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' };

function variable(name: string, metric: string): object {
  const query = `label_values(postgres_instance_${metric}, ${name})`;
  return { name, type: 'query', label: name, query, refresh: 2, datasource: { uid: '$datasource' } };
}

function graph(
  { title, unit, series }: Panel,
  { id, index, top }: { readonly id: number; readonly index: number; readonly top: number },
): object {
  const x = (index % columns) * width;
  const y = top + Math.floor(index / columns) * height;
  const selector = 'namespace="$namespace",cluster="$cluster"';
  return {
    id,
    type: 'timeseries',
    title,
    datasource: { type: 'prometheus', uid: '$datasource' },
    gridPos: { x, y, w: width, h: height },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: Object.entries(series).map(([legendFormat, expr], number) => ({
      refId: String.fromCharCode(65 + number),
      expr: expr.replaceAll('$selector', selector),
      legendFormat,
    })),
  };
}
