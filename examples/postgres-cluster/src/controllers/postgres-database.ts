import type { Stored } from '@kubewright/apimachinery';
import { Pod } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  controller,
  type DesiredState,
  type ReconcileContext,
  type ReconcileResult,
} from '@kubewright/runtime';
import pg from 'pg';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { PostgresDatabase } from '../api/v1/postgres-database.ts';
import {
  databaseStatements,
  type ExistingDatabase,
  existingDatabaseQuery,
  extensionStatements,
} from '../sql/database-statements.ts';
import { type PrimarySessions, primarySessions } from '../sql/primary-session.ts';
import { applied } from './applied.ts';
import { dropDelayed } from './drop-delayed.ts';

type Context = ReconcileContext<PostgresDatabase>;

/** Creates and alters databases, and drops them if their reclaim policy is `Delete`. */
export function postgresDatabase(sessions: PrimarySessions = primarySessions): ControllerDefinition {
  return controller({
    for: PostgresDatabase,
    caches: [PostgresCluster, Pod],
    maxConcurrentReconciles: 4,
    finalizers: { 'database.db.example.com/database': (database, ctx) => drop(database, { ctx, sessions }) },
    reconcile: (database, ctx) => reconcile(database, { ctx, sessions }),
  });
}

interface Parts {
  readonly ctx: Context;
  readonly sessions: PrimarySessions;
}

function reconcile(
  { metadata, spec }: Stored<PostgresDatabase>,
  { ctx, sessions }: Parts,
): Promise<DesiredState<PostgresDatabase>> {
  const cluster = { namespace: metadata.namespace, name: spec.cluster };
  return applied(async () => {
    const server = await sessions.open({ ...cluster, database: 'postgres' }, ctx);
    if (typeof server === 'string') return server;
    await using sql = server;
    const [existing] = await sql.query(existingDatabaseQuery, [spec.name]);
    // The query returns this shape.
    const statements = databaseStatements(spec, existing as ExistingDatabase | undefined);
    for (const statement of statements) await sql.query(statement);
    if (!spec.extensions?.length) return undefined;
    const session = await sessions.open({ ...cluster, database: spec.name }, ctx);
    if (typeof session === 'string') return session;
    await using own = session;
    const installed = await own.query('SELECT extname::text AS name FROM pg_extension');
    const names = installed.map(({ name }) => String(name));
    for (const statement of extensionStatements(spec, names)) await own.query(statement);
    return undefined;
  });
}

async function drop(
  { metadata, spec }: Stored<PostgresDatabase>,
  { ctx, sessions }: Parts,
): Promise<ReconcileResult | undefined> {
  if (spec.reclaimPolicy !== 'Delete') return undefined;
  const { namespace } = metadata;
  // The cluster is gone, and the database with it.
  if (!(await ctx.get(PostgresCluster, { namespace, name: spec.cluster }))) return undefined;
  const server = await sessions.open({ namespace, name: spec.cluster, database: 'postgres' }, ctx);
  if (typeof server === 'string') return dropDelayed('database', { name: spec.name, why: server }, ctx);
  await using sql = server;
  await sql.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(spec.name)} WITH (FORCE)`);
  return undefined;
}
