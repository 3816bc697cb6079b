import { segmentAt } from '../../archive/wal-file.ts';
import { parseLsn } from '../../lsn.ts';
import { type ArchiveReport, cloneName, type ReplicaReport } from '../protocol.ts';
import { slotPrefix } from '../settings/settings-file.ts';
import type { Sql } from './sql-session.ts';

/** The state of the local server, as returned by the status queries. */
export interface LocalStatus {
  readonly isInRecovery: boolean;
  readonly timeline: number;
  /** End of the WAL that a primary has written, or a standby has received or replayed. */
  readonly lsn: string;
  readonly replayedLSN?: string;
  readonly isReceiving: boolean;
  /** False while a standby is still replaying WAL that it received earlier, so `lsn` is not the end of its WAL yet. */
  readonly isAtEnd: boolean;
  /** Settings with a pending restart, with the values that are still in effect. */
  readonly pendingSettings: Readonly<Record<string, string>>;
  readonly replicas: readonly ReplicaReport[];
  /** True while no connected replica can confirm commits. */
  readonly isUnconfirmed: boolean;
  /** Slots of instances, including instances that are not connected. */
  readonly slots: readonly string[];
  readonly archive: ArchiveReport;
}

const statusQuery = `
SELECT pg_is_in_recovery() AS "isInRecovery",
  CASE WHEN pg_is_in_recovery() THEN greatest(w.received_tli, c.timeline_id, r.min_recovery_end_timeline)
    ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline,
  CASE WHEN pg_is_in_recovery() THEN greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn(), c.redo_lsn)
    ELSE pg_current_wal_flush_lsn() END AS lsn,
  pg_last_wal_replay_lsn() AS "replayedLSN", (SELECT setting FROM pg_settings WHERE name = 'wal_segment_size') AS segment,
  coalesce(w.status = 'streaming', false) AS "isReceiving",
  w.status IS NOT NULL OR pg_last_wal_receive_lsn() IS NOT NULL OR NOT EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'startup'
    AND wait_event IS DISTINCT FROM 'RecoveryRetrieveRetryInterval' AND wait_event IS DISTINCT FROM 'RecoveryWalStream'
    AND wait_event IS DISTINCT FROM 'RecoveryPause') AS "isAtEnd",
  coalesce((SELECT json_object_agg(name, setting) FROM pg_settings WHERE pending_restart), '{}') AS "pendingSettings",
  coalesce((SELECT json_agg(json_build_object('name', application_name, 'state', state, 'sync', sync_state,
    'flushLSN', flush_lsn) ORDER BY application_name) FROM pg_stat_replication WHERE usename = 'streaming_replica'
    AND application_name <> '${cloneName}'), '[]') AS replicas,
  NOT EXISTS (SELECT FROM pg_stat_replication WHERE sync_priority > 0) AS "isUnconfirmed",
  coalesce((SELECT json_agg(slot_name) FROM pg_replication_slots WHERE slot_type = 'physical' AND NOT temporary
    AND starts_with(slot_name, '${slotPrefix}')), '[]') AS slots,
  json_strip_nulls(json_build_object('lastArchived', a.last_archived_wal, 'lastArchivedTime', a.last_archived_time,
    'lastFailed', a.last_failed_wal, 'lastFailedTime', a.last_failed_time)) AS archive
FROM pg_control_checkpoint() c CROSS JOIN pg_control_recovery() r
LEFT JOIN pg_stat_wal_receiver w ON true LEFT JOIN pg_stat_archiver a ON true`;

/** Queries the state of the local server. */
export async function localStatus(sql: Sql): Promise<LocalStatus> {
  const [row] = await sql.query(statusQuery);
  const { replayedLSN, segment, ...status } = row as unknown as LocalStatus & {
    readonly replayedLSN: string | null;
    readonly segment: string;
  };
  const timeline = status.isInRecovery ? await receivedTimeline(sql, { ...status, segment }) : status.timeline;
  return { ...status, timeline, ...(replayedLSN !== null && { replayedLSN }) };
}

/**
 * Returns the timeline of the last WAL that a standby has received, from the name of the file that contains it. pg_control has
 * the timeline only after the next restartpoint, and the WAL receiver only while it is connected.
 */
async function receivedTimeline(
  sql: Sql,
  { lsn, timeline, segment }: { readonly lsn: string; readonly timeline: number; readonly segment: string },
): Promise<number> {
  // At a segment boundary, the last byte of WAL is in the previous file.
  const file = segmentAt(parseLsn(lsn), { timeline: 0, segmentBytes: Number(segment), isEnd: true });
  const [row] = await sql.query('SELECT max(substr(name, 1, 8)) AS newest FROM pg_ls_waldir() WHERE name ~ $1', [
    `^[0-9A-F]{8}${file.slice(8)}$`,
  ]);
  return Math.max(timeline, Number.parseInt(String(row?.['newest'] ?? '0'), 16) || 0);
}
