import { cloneName } from '../protocol.ts';
import type { Sql } from '../sql/sql-session.ts';

/** Statistics of the local server. Times are Unix times; unknown values are null. */
export interface ServerStatistics {
  readonly startTime: number;
  readonly walBytes: number;
  readonly replayLagBytes: number | null;
  readonly replayLagSeconds: number | null;
  readonly replicas: readonly {
    readonly name: string;
    readonly lagBytes: number | null;
    readonly lagSeconds: number;
  }[];
  readonly slots: readonly {
    readonly name: string;
    readonly isActive: boolean;
    readonly retainedBytes: number | null;
  }[];
  readonly archived: number;
  readonly archiveFailures: number;
  readonly lastArchived: number | null;
  readonly lastFailed: number | null;
  readonly waitingFiles: number;
  readonly connections: readonly { readonly state: string; readonly count: number }[];
  readonly maxConnections: number;
  readonly blocked: number;
  readonly oldestTransaction: number;
  readonly databases: readonly DatabaseStatistics[];
}

export interface DatabaseStatistics {
  readonly name: string;
  readonly sizeBytes: number;
  readonly transactionAge: number;
  readonly commits: number;
  readonly rollbacks: number;
  readonly deadlocks: number;
  readonly temporaryBytes: number;
}

const query = `
WITH w AS (SELECT pg_is_in_recovery() AS standby,
  CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END AS lsn)
SELECT json_build_object(
  'startTime', extract(epoch FROM pg_postmaster_start_time()),
  'walBytes', (SELECT coalesce(sum(size), 0) FROM pg_ls_waldir()),
  'replayLagBytes', CASE WHEN w.standby THEN greatest(pg_wal_lsn_diff(w.lsn, pg_last_wal_replay_lsn()), 0) END,
  'replayLagSeconds', CASE WHEN NOT w.standby THEN NULL WHEN w.lsn IS NULL OR w.lsn <= pg_last_wal_replay_lsn() THEN 0
    ELSE greatest(extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp()), 0) END,
  'replicas', (SELECT coalesce(json_agg(json_build_object('name', application_name,
      'lagBytes', greatest(pg_wal_lsn_diff(w.lsn, flush_lsn), 0),
      'lagSeconds', coalesce(extract(epoch FROM replay_lag), 0))), '[]')
    FROM pg_stat_replication WHERE usename = 'streaming_replica' AND application_name <> '${cloneName}'),
  'slots', (SELECT coalesce(json_agg(json_build_object('name', slot_name, 'isActive', active,
      'retainedBytes', greatest(pg_wal_lsn_diff(w.lsn, restart_lsn), 0))), '[]') FROM pg_replication_slots),
  'archived', a.archived_count, 'archiveFailures', a.failed_count,
  'lastArchived', extract(epoch FROM a.last_archived_time), 'lastFailed', extract(epoch FROM a.last_failed_time),
  'waitingFiles', (SELECT count(*) FROM pg_ls_archive_statusdir() WHERE name LIKE '%.ready'),
  'connections', (SELECT coalesce(json_agg(c), '[]') FROM (SELECT coalesce(state, 'unknown') AS state, count(*)
    FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1) c),
  'maxConnections', current_setting('max_connections')::int,
  'blocked', (SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'),
  'oldestTransaction', (SELECT coalesce(extract(epoch FROM clock_timestamp() - min(xact_start)), 0) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()),
  'databases', (SELECT json_agg(json_build_object('name', d.datname, 'sizeBytes', pg_database_size(d.oid),
      'transactionAge', age(d.datfrozenxid), 'commits', s.xact_commit, 'rollbacks', s.xact_rollback,
      'deadlocks', s.deadlocks, 'temporaryBytes', s.temp_bytes) ORDER BY d.datname)
    FROM pg_database d JOIN pg_stat_database s ON s.datid = d.oid WHERE d.datallowconn)
) AS statistics FROM w CROSS JOIN pg_stat_archiver a`;

/** Queries the statistics of the local server. */
export async function serverStatistics(sql: Sql): Promise<ServerStatistics> {
  const [row] = await sql.query(query);
  // The query returns one object of this shape.
  return row?.['statistics'] as ServerStatistics;
}
