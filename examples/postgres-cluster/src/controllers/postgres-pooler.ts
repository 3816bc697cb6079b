import type { Stored } from '@kubewright/apimachinery';
import { Deployment } from '@kubewright/apimachinery/apps/v1';
import { Pod, Secret, Service } from '@kubewright/apimachinery/core/v1';
import {
  type ControllerDefinition,
  controller,
  type DesiredState,
  enqueueMapped,
  type ReconcileContext,
  watch,
} from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { PostgresPooler } from '../api/v1/postgres-pooler.ts';
import { poolerCondition } from '../plan/pooler-condition.ts';
import { belongsTo } from '../spec/belongs-to.ts';
import { readCertificates } from '../spec/certificate-secrets.ts';
import { clusterNames } from '../spec/cluster-names.ts';
import { nextPoolerCertificates } from '../spec/pooler-certificates.ts';
import {
  poolerDeploymentFor,
  poolerLabel,
  poolerSecretFor,
  poolerSecretName,
  poolerServiceFor,
} from '../spec/pooler-objects.ts';
import { parametersRejectionReason, poolerSettings } from '../spec/pooler-settings.ts';
import {
  createPoolerRole,
  pooledDatabasesQuery,
  poolerFunctionQuery,
  poolerFunctionStatements,
  poolerRoleQuery,
} from '../sql/pooler-statements.ts';
import { type PrimarySessions, primarySessions } from '../sql/primary-session.ts';
import { applyOwn, podFailures } from './pooler-objects.ts';

type Context = ReconcileContext<PostgresPooler>;

/**
 * Time until the next reconcile: soon after a failure, otherwise periodically, to find new databases and expiring certificates.
 */
const retryMs = { obstacle: 2_000, applied: 60_000 };

/** Reasons of the `Ready` condition that require action by a user; reported as events. */
const eventReasons: ReadonlySet<string> = new Set(['InvalidParameters', 'ForeignObject', 'PodFails']);

interface Parts {
  readonly ctx: Context;
  readonly sessions: PrimarySessions;
  readonly image: string;
}

/** Runs PgBouncer in front of clusters. */
export function postgresPooler({
  image,
  sessions = primarySessions,
}: {
  readonly image: string;
  readonly sessions?: PrimarySessions;
}): ControllerDefinition {
  const toPooler = enqueueMapped<Pod>(({ namespace, labels }) => {
    const name = labels[poolerLabel];
    return name === undefined ? [] : [{ namespace, name }];
  });
  return controller({
    for: PostgresPooler,
    owns: [Secret, Service, Deployment],
    watches: [watch(Pod, toPooler)],
    caches: [PostgresCluster],
    maxConcurrentReconciles: 4,
    reconcile: (pooler, ctx) => reconcile(pooler, { ctx, sessions, image }),
  });
}

interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

async function reconcile(pooler: Stored<PostgresPooler>, parts: Parts): Promise<DesiredState<PostgresPooler>> {
  const { ctx } = parts;
  const { name, namespace, generation = 0 } = pooler.metadata;
  const { instances = 1, paused: isPaused = false } = pooler.spec;
  const obstacle = (await applyObjects(pooler, parts)) ?? (await prepareDatabases(pooler, parts));
  const { status = {} } = (await ctx.get(Deployment, { namespace, name })) ?? {};
  const { readyReplicas: ready = 0, replicas = 0, updatedReplicas = 0 } = status;
  const failures = await podFailures(pooler, ctx);
  const isRollingOut = updatedReplicas < replicas || replicas !== instances;
  const condition = poolerCondition({ obstacle, instances, ready, isRollingOut, failures, isPaused });
  if (eventReasons.has(condition.reason)) {
    const { reason, message: note = '' } = condition;
    ctx.events.record({ type: 'Warning', reason, note, series: note });
  }
  return {
    status: {
      instances: replicas,
      readyInstances: ready,
      selector: `${poolerLabel}=${name}`,
      observedGeneration: generation,
    },
    conditions: [condition],
    requeueAfterMs: obstacle ? retryMs.obstacle : retryMs.applied,
  };
}

/**
 * Updates settings, certificates and pods. If that fails, returns the reason; running pods then keep their current
 * settings.
 */
async function applyObjects(pooler: Stored<PostgresPooler>, { ctx, image }: Parts): Promise<Obstacle | undefined> {
  const { metadata, spec } = pooler;
  const { name, namespace = '' } = metadata;
  const rejection = parametersRejectionReason(spec.parameters ?? {});
  if (rejection !== undefined) return { reason: 'InvalidParameters', message: rejection };
  const waiting = (message: string): Obstacle => ({ reason: 'ClusterNotReady', message });
  const cluster = await ctx.get(PostgresCluster, { namespace, name: spec.cluster });
  if (!cluster) return waiting(`the PostgresCluster "${spec.cluster}" does not exist`);
  const names = clusterNames(spec.cluster);
  const service = { rw: names.readWrite, ro: names.readOnly, r: names.read }[spec.type ?? 'rw'];
  const upstream = await ctx.get(Service, { namespace, name: service });
  const secret = await ctx.get(Secret, { namespace, name: names.authority });
  const host = upstream && belongsTo(upstream, cluster) ? upstream.spec?.clusterIP : undefined;
  const { authority } = readCertificates(spec.cluster, () =>
    secret && belongsTo(secret, cluster) ? secret : undefined,
  );
  if (!host || !authority) return waiting(`the PostgresCluster "${spec.cluster}" has no Service or certificates yet`);
  const existing = await ctx.get(Secret, { namespace, name: poolerSecretName(name) });
  const by = { authority, cluster: spec.cluster, pooler: name, namespace, nowMs: ctx.clock.now() };
  const certificates = nextPoolerCertificates(existing, by);
  const own = { pooler, ctx };
  const message =
    (await applyOwn(Secret, poolerSecretFor(pooler, { settings: poolerSettings(spec, host), certificates }), own)) ??
    (await applyOwn(Service, poolerServiceFor(pooler), own)) ??
    (await applyOwn(Deployment, poolerDeploymentFor(pooler, { image }), own));
  return message === undefined ? undefined : { reason: 'ForeignObject', message };
}

/** Creates the poolers' role, and the lookup function in each database. If that fails, returns the reason. */
async function prepareDatabases(
  { metadata: { namespace }, spec }: Stored<PostgresPooler>,
  { ctx, sessions }: Parts,
): Promise<Obstacle | undefined> {
  const cluster = { namespace, name: spec.cluster };
  const failed = (message: string): Obstacle => ({ reason: 'ClusterNotReady', message });
  try {
    const server = await sessions.open({ ...cluster, database: 'postgres' }, ctx);
    if (typeof server === 'string') return failed(server);
    await using sql = server;
    if ((await sql.query(poolerRoleQuery)).length === 0) await sql.query(createPoolerRole);
    for (const { name } of await sql.query(pooledDatabasesQuery)) {
      const session = await sessions.open({ ...cluster, database: String(name) }, ctx);
      if (typeof session === 'string') return failed(session);
      await using own = session;
      if ((await own.query(poolerFunctionQuery)).length > 0) continue;
      for (const statement of poolerFunctionStatements) await own.query(statement);
    }
    return undefined;
  } catch (error) {
    // The server or the connection failed.
    return failed(error instanceof Error ? error.message : String(error));
  }
}
