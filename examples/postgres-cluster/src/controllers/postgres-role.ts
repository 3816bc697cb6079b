import { isNotFound, type Stored } from '@kubewright/apimachinery';
import { Pod, Secret } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  controller,
  type DesiredState,
  type ReconcileContext,
  type ReconcileResult,
} from '@kubewright/runtime';
import pg from 'pg';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { PostgresRole } from '../api/v1/postgres-role.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { databaseOf, secretValue } from '../spec/credentials.ts';
import { applyRole } from '../sql/apply-role.ts';
import { type PrimarySessions, primarySessions } from '../sql/primary-session.ts';
import { applied } from './applied.ts';
import { dropDelayed } from './drop-delayed.ts';

type Context = ReconcileContext<PostgresRole>;

/** Creates and alters roles, and drops them if their reclaim policy is `Delete`. */
export function postgresRole(sessions: PrimarySessions = primarySessions): ControllerDefinition {
  return controller({
    for: PostgresRole,
    caches: [PostgresCluster, Pod],
    maxConcurrentReconciles: 4,
    finalizers: { 'database.db.example.com/role': (role, ctx) => drop(role, { ctx, sessions }) },
    reconcile: (role, ctx) => reconcile(role, { ctx, sessions }),
  });
}

interface Parts {
  readonly ctx: Context;
  readonly sessions: PrimarySessions;
}

async function reconcile(role: Stored<PostgresRole>, { ctx, sessions }: Parts): Promise<DesiredState<PostgresRole>> {
  const { metadata, spec, status } = role;
  let passwordVersion = status?.passwordVersion;
  const outcome = await applied(async () => {
    const cluster = await ctx.get(PostgresCluster, { namespace: metadata.namespace, name: spec.cluster });
    if (cluster && spec.passwordSecret !== undefined && spec.name === databaseOf(cluster).owner) {
      const { application } = clusterNames(spec.cluster);
      return `the password of "${spec.name}" is in the Secret "${application}": change the password there, and remove passwordSecret`;
    }
    const server = await sessions.open(
      { namespace: metadata.namespace, name: spec.cluster, database: 'postgres' },
      ctx,
    );
    if (typeof server === 'string') return server;
    await using sql = server;
    const secret = await passwordOf(role, ctx);
    if (secret && 'why' in secret) return secret.why;
    await applyRole(sql, spec, { password: secret?.password });
    if (secret) passwordVersion = secret.version;
    return undefined;
  });
  return { ...outcome, status: { ...outcome.status, ...(passwordVersion !== undefined && { passwordVersion }) } };
}

/**
 * Returns the password and its Secret's version, or the reason why the password cannot be read. Undefined if the spec
 * names no Secret.
 */
async function passwordOf(
  { metadata: { namespace }, spec: { passwordSecret: name } }: Stored<PostgresRole>,
  { client, signal }: Context,
): Promise<{ readonly password: string; readonly version: string } | { readonly why: string } | undefined> {
  if (name === undefined) return undefined;
  try {
    const secret = await client.resource(Secret).get({ namespace, name }, { signal });
    const password = secretValue(secret, 'password');
    if (password === undefined) return { why: `the Secret "${name}" has no key "password"` };
    return { password, version: secret.metadata.resourceVersion };
  } catch (error) {
    if (isNotFound(error)) return { why: `the Secret "${name}" does not exist` };
    throw error;
  }
}

async function drop(
  { metadata, spec }: Stored<PostgresRole>,
  { ctx, sessions }: Parts,
): Promise<ReconcileResult | undefined> {
  if (spec.reclaimPolicy !== 'Delete') return undefined;
  const { namespace } = metadata;
  // The cluster is gone, and the role with it.
  if (!(await ctx.get(PostgresCluster, { namespace, name: spec.cluster }))) return undefined;
  const server = await sessions.open({ namespace, name: spec.cluster, database: 'postgres' }, ctx);
  if (typeof server === 'string') return dropDelayed('role', { name: spec.name, why: server }, ctx);
  await using sql = server;
  // Fails while the role owns objects, and is retried. PostgreSQL's error names the objects.
  await sql.query(`DROP ROLE IF EXISTS ${pg.escapeIdentifier(spec.name)}`);
  return undefined;
}
