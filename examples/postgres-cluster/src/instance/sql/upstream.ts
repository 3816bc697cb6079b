import { type Fork, parseHistory } from '../server/timeline-history.ts';
import { slotOf } from '../settings/settings-file.ts';
import type { Sql } from './sql-session.ts';

/** The WAL of a primary, as a replica sees it. */
export interface UpstreamWal {
  readonly timeline: number;
  readonly history: readonly Fork[];
  /** Name of the oldest WAL file that it has. */
  readonly oldestFile: string;
  readonly segmentBytes: bigint;
  /** False until the checkpoint after a promotion: pg_rewind would compare with the old timeline. */
  readonly hasCheckpoint: boolean;
}

/** Requests WAL from a primary. */
export async function upstreamWal(sql: Sql): Promise<UpstreamWal> {
  const [row] = await sql.query(`
    SELECT pg_is_in_recovery() AS "isInRecovery",
      CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) END AS timeline,
      (SELECT timeline_id FROM pg_control_checkpoint()) AS checkpoint,
      (SELECT setting FROM pg_settings WHERE name = 'wal_segment_size') AS segment,
      (SELECT min(name) FROM pg_ls_dir('pg_wal', true, false) name WHERE name ~ '^[0-9A-F]{24}$') AS oldest`);
  if (!row || row['isInRecovery'] === true) throw new Error('the server is not a primary yet');
  const name = String(row['timeline']);
  const [file] = await sql.query(
    `SELECT convert_from(pg_read_binary_file('pg_wal/' || $1 || '.history', 0, 1000000, true), 'UTF8') AS content`,
    [name],
  );
  const timeline = Number.parseInt(name, 16);
  return {
    timeline,
    history: parseHistory(String(file?.['content'] ?? '')),
    oldestFile: String(row['oldest'] ?? ''),
    segmentBytes: BigInt(String(row['segment'])),
    hasCheckpoint: row['checkpoint'] === timeline,
  };
}

/** Creates the slot in which a primary keeps WAL for an instance, unless it exists. */
export async function createSlot(sql: Sql, instance: string): Promise<void> {
  await sql.query(
    `SELECT pg_create_physical_replication_slot($1, true)
     WHERE NOT EXISTS (SELECT FROM pg_replication_slots WHERE slot_name = $1)`,
    [slotOf(instance)],
  );
}
