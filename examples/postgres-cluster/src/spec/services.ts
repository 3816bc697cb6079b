import type { Stored } from '@kubewright/apimachinery';
import { Service } from '@kubewright/apimachinery/core/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel, roleLabel } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

/**
 * Returns the Services: `-rw` routes to the primary, `-ro` to the replicas, `-r` to all instances. `-rw` and `-ro` select by the
 * role label, which the operator removes from a failed primary before it chooses another one.
 */
export function servicesFor({ metadata: { name } }: Stored<PostgresCluster>): readonly Service[] {
  const names = clusterNames(name);
  return [
    service(names.readWrite, { [clusterLabel]: name, [roleLabel]: 'primary' }),
    service(names.readOnly, { [clusterLabel]: name, [roleLabel]: 'replica' }),
    service(names.read, { [clusterLabel]: name }),
  ].map((each) => ({ ...each, metadata: { ...each.metadata, labels: { [clusterLabel]: name } } }));
}

function service(name: string, selector: Readonly<Record<string, string>>): Service {
  const ports = [{ name: 'postgresql', port: 5432, targetPort: 'postgresql' }];
  return Service({ metadata: { name }, spec: { ports, selector } });
}
