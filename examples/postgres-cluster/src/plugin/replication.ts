import { cloneName } from '../instance/protocol.ts';
import type { Session } from './command.ts';

/** A replica, as `pg_stat_replication` on the primary shows it. */
export interface StreamingReplica {
  readonly name: string;
  readonly state: string;
  readonly sync: string;
  readonly sentLSN: string | null;
  readonly flushLSN: string | null;
  readonly replayLSN: string | null;
  readonly replayLagSeconds: number | null;
  readonly slot: string | null;
}

/** The replicas of a primary, or the reason why they cannot be read. */
export type Replication = readonly StreamingReplica[] | { readonly why: string };

const query = `SELECT coalesce(json_agg(r ORDER BY r.name), '[]') FROM (SELECT application_name AS name, state, sync_state AS sync,
  sent_lsn AS "sentLSN", flush_lsn AS "flushLSN", replay_lsn AS "replayLSN",
  extract(epoch FROM replay_lag)::float AS "replayLagSeconds",
  (SELECT slot_name FROM pg_replication_slots s WHERE s.active_pid = w.pid) AS slot
  FROM pg_stat_replication w WHERE usename = 'streaming_replica' AND application_name <> '${cloneName}') r`;

/** Reads a primary's replicas by running psql in its pod. */
export async function readReplication(
  primary: string | undefined,
  { client, namespace, signal }: Session,
): Promise<Replication> {
  if (primary === undefined) return { why: 'the cluster has no primary' };
  try {
    const command = ['psql', '-X', '-U', 'postgres', '-tAc', query, 'postgres'];
    const options = { container: 'postgresql', command, signal };
    await using process = await client.pods.exec({ namespace, name: primary }, options);
    const { exitCode, stdout, stderr } = await process.text();
    // The query returns one JSON array of this shape.
    return exitCode === 0 ? (JSON.parse(stdout) as readonly StreamingReplica[]) : { why: stderr.trim() };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}
