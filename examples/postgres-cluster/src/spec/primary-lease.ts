import type { Stored } from '@kubewright/apimachinery';
import { Lease } from '@kubewright/apimachinery/coordination/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

/** Returns the primary's Lease, without a holder. Only instances write its spec, by acquiring and releasing it. */
export function primaryLeaseFor({ metadata: { name } }: Stored<PostgresCluster>): Lease {
  return Lease({ metadata: { name: clusterNames(name).lease, labels: { [clusterLabel]: name } } });
}
