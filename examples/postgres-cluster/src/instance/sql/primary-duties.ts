import { randomBytes } from 'node:crypto';
import { scramVerifier } from '../../sql/scram-verifier.ts';
import { unlogged } from '../../sql/unlogged.ts';
import { operatorRole, replicationUser } from '../protocol.ts';
import { slotOf, slotPrefix } from '../settings/settings-file.ts';
import type { Sql } from './sql-session.ts';

/** An application's database, its owner, and the owner's password. */
export interface ApplicationDatabase {
  readonly name: string;
  readonly owner: string;
  readonly password: string;
}

/** Functions that pg_rewind needs, and that replicas use to compare WAL and to complete base backups. */
const granted = [
  'pg_ls_dir(text, boolean, boolean)',
  'pg_stat_file(text, boolean)',
  'pg_read_binary_file(text)',
  'pg_read_binary_file(text, bigint, bigint, boolean)',
  'pg_switch_wal()',
];

/**
 * Creates the replication role with minimal privileges. The commit does not wait for replicas, which need this role to connect.
 */
export async function createReplicationRole(sql: Sql): Promise<void> {
  await sql.query('SET synchronous_commit = local');
  const [found] = await sql.query('SELECT FROM pg_roles WHERE rolname = $1', [replicationUser]);
  if (!found) await sql.query(`CREATE ROLE ${replicationUser} LOGIN REPLICATION`);
  for (const signature of granted) await sql.query(`GRANT EXECUTE ON FUNCTION ${signature} TO ${replicationUser}`);
}

/** Creates the superuser that the operator connects as. It has no password. */
export async function createOperatorRole(sql: Sql): Promise<void> {
  await sql.query('SET synchronous_commit = local');
  const [found] = await sql.query('SELECT FROM pg_roles WHERE rolname = $1', [operatorRole]);
  if (!found) await sql.query(`CREATE ROLE ${operatorRole} LOGIN SUPERUSER`);
}

/** Creates the application's database and its owner unless they exist, and sets the owner's password. */
export async function createApplicationDatabase(
  sql: Sql,
  { name, owner, password }: ApplicationDatabase,
): Promise<void> {
  await sql.query('SET synchronous_commit = local');
  const [role] = await sql.query('SELECT FROM pg_roles WHERE rolname = $1', [owner]);
  if (!role) await sql.query(`CREATE ROLE ${identifier(owner)} LOGIN`);
  await setPassword(sql, { role: owner, password });
  const [database] = await sql.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (!database) await sql.query(`CREATE DATABASE ${identifier(name)} OWNER ${identifier(owner)}`);
}

/** Sets a role's password by its SCRAM verifier, or removes it. The settings keep the verifier out of the server log. */
export async function setPassword(
  sql: Sql,
  { role, password }: { readonly role: string; readonly password: string | undefined },
): Promise<void> {
  const verifier = password === undefined ? 'NULL' : `'${scramVerifier(password, randomBytes(16))}'`;
  await sql.query('SET synchronous_commit = local');
  for (const setting of unlogged) await sql.query(setting);
  await sql.query(`ALTER ROLE ${identifier(role)} PASSWORD ${verifier}`);
}

/** Drops the inactive slots of instances that are not in `kept`. Users' slots are kept. */
export async function dropSlots(sql: Sql, { kept }: { readonly kept: readonly string[] }): Promise<void> {
  await sql.query(
    `SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots
     WHERE slot_type = 'physical' AND NOT temporary AND NOT active AND starts_with(slot_name, $2)
       AND slot_name <> ALL ($1)`,
    [kept.map(slotOf), slotPrefix],
  );
}

/** Drops the slots of replicas that are not connected and retain more WAL than the given size. Returns their names. */
export async function dropRetainingSlots(sql: Sql, minBytes: number): Promise<readonly string[]> {
  const rows = await sql.query(
    `SELECT slot_name::text, pg_drop_replication_slot(slot_name) FROM pg_replication_slots
     WHERE slot_type = 'physical' AND NOT temporary AND NOT active AND starts_with(slot_name, $1)
       AND pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn) > $2`,
    [slotPrefix, minBytes],
  );
  return rows.map((row) => String(row['slot_name']));
}

/** Terminates the WAL senders of synchronous replicas. The replicas reconnect. */
export async function endConfirmations(sql: Sql): Promise<void> {
  await sql.query('SELECT pg_terminate_backend(pid) FROM pg_stat_replication WHERE sync_priority > 0');
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
