import type { Row, Sql } from '../instance/sql/sql-session.ts';

/** The statistics of a running PgBouncer. */
export interface PoolerStatistics {
  /** For example `PgBouncer 1.18.0`. */
  readonly version: string;
  readonly maxClients: number;
  readonly pools: readonly Pool[];
  readonly databases: readonly PooledDatabase[];
}

/** The connections of one user to one database. */
export interface Pool {
  readonly database: string;
  readonly user: string;
  /** Numbers of connections by state. */
  readonly clients: Readonly<Record<string, number>>;
  readonly servers: Readonly<Record<string, number>>;
  readonly maxWaitSeconds: number;
}

/** The totals of one database since PgBouncer started. */
export interface PooledDatabase {
  readonly name: string;
  readonly transactions: number;
  readonly queries: number;
  readonly receivedBytes: number;
  readonly sentBytes: number;
  readonly transactionSeconds: number;
  readonly querySeconds: number;
  readonly waitSeconds: number;
}

/** The admin console, which looks like a database. */
export const consoleDatabase = 'pgbouncer';

/** Queries the statistics on the admin console. All numbers arrive as text. */
export async function poolerStatistics(sql: Sql): Promise<PoolerStatistics> {
  const [version] = await sql.query('SHOW VERSION');
  const settings = await sql.query('SHOW CONFIG');
  const pools = await sql.query('SHOW POOLS');
  const totals = await sql.query('SHOW STATS');
  return {
    version: String(version?.['version']),
    maxClients: Number(settings.find(({ key }) => key === 'max_client_conn')?.['value']),
    pools: pools.filter(isPooled).map(poolOf),
    databases: totals.filter(isPooled).map(databaseOf),
  };
}

function isPooled({ database }: Row): boolean {
  return database !== consoleDatabase;
}

function poolOf(row: Row): Pool {
  const numbers = (prefix: string, states: readonly string[]): Readonly<Record<string, number>> =>
    Object.fromEntries(states.map((state) => [state, Number(row[`${prefix}_${state}`])]));
  return {
    database: String(row['database']),
    user: String(row['user']),
    clients: numbers('cl', ['active', 'waiting']),
    servers: numbers('sv', ['active', 'idle', 'used', 'tested', 'login']),
    maxWaitSeconds: Number(row['maxwait']) + Number(row['maxwait_us']) / 1e6,
  };
}

function databaseOf(row: Row): PooledDatabase {
  return {
    name: String(row['database']),
    transactions: Number(row['total_xact_count']),
    queries: Number(row['total_query_count']),
    receivedBytes: Number(row['total_received']),
    sentBytes: Number(row['total_sent']),
    transactionSeconds: Number(row['total_xact_time']) / 1e6,
    querySeconds: Number(row['total_query_time']) / 1e6,
    waitSeconds: Number(row['total_wait_time']) / 1e6,
  };
}
