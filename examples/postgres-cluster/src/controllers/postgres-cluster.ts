import { type Clock, type Stored, systemClock } from '@kubewright/apimachinery';
import { Job } from '@kubewright/apimachinery/batch/v1';
import { Node, Secret, Service, ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import { type ControllerDefinition, controller, type ReconcileContext } from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { ObservedClusters } from '../metrics/observed-clusters.ts';
import { clusterWatches, readObjects } from './cluster-watches.ts';
import { httpsInstances, type InstanceClient } from './instance-client.ts';
import { clusterController } from './own-objects.ts';
import { reconcile } from './reconcile.ts';
import { SeenLeases } from './seen-leases.ts';

export interface PostgresClusterOptions {
  /** Image with the PostgreSQL programs and the instance manager, without a tag. */
  readonly image: string;
  /** @defaultValue calls over HTTPS */
  readonly instances?: InstanceClient;
  /** Measures how long Leases have not been renewed. @defaultValue the system's clock */
  readonly clock?: Clock;
  /** Keeps the metrics of the clusters. @defaultValue metrics that are not served */
  readonly metrics?: ObservedClusters;
}

/** Runs PostgreSQL clusters: manages their instances, and decides which one is the primary. */
export function postgresCluster(options: PostgresClusterOptions): ControllerDefinition {
  const leases = new SeenLeases(options.clock ?? systemClock);
  const metrics = options.metrics ?? new ObservedClusters();
  return controller({
    name: clusterController,
    for: PostgresCluster,
    owns: [Secret, ServiceAccount, Role, RoleBinding, Service, PodDisruptionBudget],
    watches: clusterWatches(leases),
    caches: [Node, Job],
    maxConcurrentReconciles: 10,
    finalizers: {
      'database.db.example.com/volumes': async (cluster, ctx) => {
        await deleteVolumes(cluster, ctx);
        metrics.forget(cluster.metadata);
        return undefined;
      },
    },
    reconcile: (cluster, ctx) => reconcile(cluster, ctx, { instances: httpsInstances, ...options, leases, metrics }),
  });
}

/** Deletes the volumes of a deleted cluster if its deletion policy is `Delete`. */
async function deleteVolumes(cluster: Stored<PostgresCluster>, ctx: ReconcileContext<PostgresCluster>): Promise<void> {
  if (cluster.spec.storage.deletionPolicy !== 'Delete') return;
  for (const claim of (await readObjects(cluster, ctx)).claims) await ctx.delete(claim);
}
