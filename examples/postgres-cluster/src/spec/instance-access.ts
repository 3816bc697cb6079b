import type { Stored } from '@kubewright/apimachinery';
import { ServiceAccount } from '@kubewright/apimachinery/core/v1';
import { type PolicyRule, Role, RoleBinding } from '@kubewright/apimachinery/rbac/v1';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import { clusterLabel } from '../instance/protocol.ts';
import { clusterNames } from './cluster-names.ts';

const group = 'database.db.example.com';

/**
 * Returns the ServiceAccount of a cluster's instances, with permission to read the cluster, write its status, and hold its Lease.
 * The operator must itself have every permission that it grants.
 *
 * @rbac groups=database.db.example.com resources=postgresclusters/status verbs=get;patch;update
 * @rbac groups=coordination.k8s.io resources=leases verbs=get;list;watch;update;patch
 * @rbac groups="" resources=events verbs=create;patch
 * @rbac groups=events.k8s.io resources=events verbs=create;patch
 */
export function instanceAccessFor({
  metadata: { name, namespace },
}: Stored<PostgresCluster>): readonly [ServiceAccount, Role, RoleBinding] {
  const names = clusterNames(name);
  const metadata = { name: names.instances, labels: { [clusterLabel]: name } };
  const one = (apiGroup: string, resource: string, resourceName: string, ...verbs: string[]): PolicyRule => ({
    apiGroups: [apiGroup],
    resources: [resource],
    resourceNames: [resourceName],
    verbs,
  });
  const rules: readonly PolicyRule[] = [
    one(group, 'postgresclusters', name, 'get', 'list', 'watch'),
    one(group, 'postgresclusters/status', name, 'get', 'patch', 'update'),
    one('coordination.k8s.io', 'leases', names.lease, 'get', 'list', 'patch', 'update', 'watch'),
    { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list', 'watch'] },
    { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ];
  return [
    ServiceAccount({ metadata }),
    Role({ metadata, rules }),
    RoleBinding({
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: names.instances },
      subjects: [{ kind: 'ServiceAccount', name: names.instances, namespace }],
    }),
  ];
}
