import type { Stored } from '@kubewright/apimachinery';
import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel, roleLabel } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

/**
 * Returns the disruption budgets. The primary cannot be evicted: when its node is drained, the operator switches over, and the
 * retried eviction succeeds, because the pod is then a replica. Replicas can be evicted one at a time.
 */
export function disruptionBudgetsFor({
  metadata: { name },
  spec,
}: Stored<PostgresCluster>): readonly PodDisruptionBudget[] {
  const names = clusterNames(name);
  const { instances = 3 } = spec;
  // If this is the only instance, draining its node blocks until an administrator decides, because no other instance
  // could serve.
  const primary = budget(names.primaryBudget, { name, role: 'primary', minAvailable: 1 });
  if (instances < 3) return [primary];
  return [primary, budget(names.replicaBudget, { name, role: 'replica', minAvailable: instances - 2 })];
}

function budget(
  budgetName: string,
  { name, role, minAvailable }: { readonly name: string; readonly role: string; readonly minAvailable: number },
): PodDisruptionBudget {
  const matchLabels = { [clusterLabel]: name, [roleLabel]: role };
  return PodDisruptionBudget({
    metadata: { name: budgetName, labels: { [clusterLabel]: name } },
    spec: { minAvailable, selector: { matchLabels } },
  });
}
