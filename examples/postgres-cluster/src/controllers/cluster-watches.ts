import type { Kind, KubernetesObject, Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import { Node, PersistentVolumeClaim, Pod } from '@kubewright/apimachinery/core/v1';
import {
  enqueueForOwner,
  enqueueMapped,
  predicateFuncs,
  type ReconcileContext,
  type Watch,
  watch,
} from '@kubewright/runtime';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import { belongsTo } from '../spec/belongs-to.ts';
import { clusterNames, isInstanceName } from '../spec/cluster-names.ts';
import type { ClusterObjects } from './observe-cluster.ts';
import type { SeenLeases } from './seen-leases.ts';

/** Records each renewal of a Lease. Only a change of its holder triggers a reconcile. */
function leaseWatch(seen: SeenLeases): Watch {
  return watch(Lease, enqueueForOwner(PostgresCluster), {
    predicates: [
      predicateFuncs<Lease>({
        update: ({ old, object }) => {
          seen.see(object.object);
          return old.object.spec?.holderIdentity !== object.object.spec?.holderIdentity;
        },
        delete: ({ object }) => {
          seen.forget(object.object);
          return true;
        },
      }),
    ],
  });
}

function labeled<T extends KubernetesObject>(kind: Kind<T>): Watch {
  const toCluster = enqueueMapped<T>(({ namespace, labels }) => {
    const name = labels[clusterLabel];
    return name === undefined ? [] : [{ namespace, name }];
  });
  return watch(kind, toCluster);
}

/**
 * Returns the cluster's watches. Pods and claims are mapped by label: claims have no owner, because they must outlive
 * the cluster.
 */
export function clusterWatches(seen: SeenLeases): readonly Watch[] {
  return [labeled(Pod), labeled(PersistentVolumeClaim), leaseWatch(seen)];
}

/**
 * Reads a cluster's objects from the caches. Ignores pods and claims that have its label but do not belong to it, or have no
 * instance name.
 */
export async function readObjects(
  cluster: Stored<PostgresCluster>,
  ctx: ReconcileContext<PostgresCluster>,
): Promise<Pick<ClusterObjects, 'pods' | 'claims' | 'lease' | 'nodes'>> {
  const { name, namespace } = cluster.metadata;
  const isInstance = (object: KubernetesObject) =>
    belongsTo(object, cluster) && isInstanceName(name, object.metadata.name ?? '');
  const own = { ...(namespace !== undefined && { namespace }), labelSelector: { [clusterLabel]: name } };
  const pods = (await ctx.list(Pod, own)).filter(isInstance);
  const claims = (await ctx.list(PersistentVolumeClaim, own)).filter(isInstance);
  const lease = await ctx.get(Lease, { ...(namespace !== undefined && { namespace }), name: clusterNames(name).lease });
  const nodes = new Map<string, Stored<Node>>();
  for (const nodeName of new Set(pods.map(({ spec }) => spec?.nodeName ?? ''))) {
    const node = nodeName === '' ? undefined : await ctx.get(Node, { name: nodeName });
    if (node) nodes.set(nodeName, node);
  }
  return { pods, claims, lease: lease && belongsTo(lease, cluster) ? lease : undefined, nodes };
}
