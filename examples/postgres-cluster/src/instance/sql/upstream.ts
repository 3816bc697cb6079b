import { parseLsn } from '../../lsn.ts';
import { type Fork, parseHistory, type WalEnd } from '../server/timeline-history.ts';
import { slotOf } from '../settings/settings-file.ts';
import type { Sql } from './sql-session.ts';

/** The properties of a primary's WAL that a replica needs. */
export interface UpstreamWal extends WalEnd {
  /** Name of the primary's oldest WAL file. */
  readonly oldestFile: string;
  readonly segmentBytes: number;
  /** False between a promotion and the next checkpoint, while pg_rewind would still see the old timeline. */
  readonly hasCheckpoint: boolean;
}

/** Queries the end, the history and the oldest file of a primary's WAL. */
export async function upstreamWal(sql: Sql): Promise<UpstreamWal> {
  const [row] = await sql.query(`
    SELECT pg_is_in_recovery() AS "isInRecovery",
      CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
      CASE WHEN pg_is_in_recovery() THEN '0/0' ELSE pg_current_wal_flush_lsn()::text END AS lsn,
      (SELECT timeline_id FROM pg_control_checkpoint()) AS checkpoint,
      (SELECT setting FROM pg_settings WHERE name = 'wal_segment_size') AS segment,
      (SELECT min(name) FROM pg_ls_dir('pg_wal', true, false) name WHERE name ~ '^[0-9A-F]{24}$') AS oldest`);
  if (!row || row['isInRecovery'] === true) throw new Error('the server is not a primary yet');
  const timeline = Number.parseInt(String(row['timeline']), 16);
  return {
    timeline,
    lsn: parseLsn(String(row['lsn'])),
    history: (await historyOf(sql, timeline)) ?? [],
    oldestFile: String(row['oldest'] ?? ''),
    segmentBytes: Number(row['segment']),
    hasCheckpoint: row['checkpoint'] === timeline,
  };
}

/** Returns the forks that led to a timeline, or undefined if the server does not have the timeline's history file. */
export async function historyOf(sql: Sql, timeline: number): Promise<readonly Fork[] | undefined> {
  // The first timeline has no forks and no file.
  if (timeline === 1) return [];
  const [file] = await sql.query(
    `SELECT convert_from(pg_read_binary_file('pg_wal/' || $1 || '.history', 0, 1000000, true), 'UTF8') AS content`,
    [timeline.toString(16).toUpperCase().padStart(8, '0')],
  );
  const content = file?.['content'];
  return typeof content === 'string' ? parseHistory(content) : undefined;
}

/**
 * Creates an instance's slot on a primary, unless it exists. The slot makes the primary retain WAL for the instance. A slot that
 * the primary has invalidated is replaced: it retains nothing, and since PostgreSQL 18, nothing can stream from it.
 */
export async function createSlot(sql: Sql, instance: string): Promise<void> {
  await sql.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
     WHERE slot_name = $1 AND wal_status = 'lost' AND NOT active`,
    [slotOf(instance)],
  );
  await sql.query(
    `SELECT pg_create_physical_replication_slot($1, true)
     WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)`,
    [slotOf(instance)],
  );
}
