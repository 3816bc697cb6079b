import { type Condition, isNotFound, type Stored } from '@kubewright/apimachinery';
import { PostgresCluster } from '../api/v1/postgres-cluster.ts';
import type { Session } from './command.ts';
import { PluginError } from './plugin-error.ts';

/** Reads a cluster. @throws PluginError if it does not exist */
export async function findCluster(
  name: string,
  { client, namespace, signal }: Session,
): Promise<Stored<PostgresCluster>> {
  try {
    return await client.resource(PostgresCluster).get({ namespace, name }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new PluginError(
      `PostgresCluster ${name} does not exist in namespace ${namespace}; to list all clusters, run kubectl get postgresclusters -A`,
      { cause: error },
    );
  }
}

/** Returns the `Ready` condition of a cluster. */
export function readiness({ status }: Stored<PostgresCluster>): Condition | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/**
 * Checks that an instance belongs to a cluster.
 * @throws PluginError if it does not
 */
export function checkInstance({ metadata, status }: Stored<PostgresCluster>, instance: string): void {
  const names = status?.instanceStatuses?.map(({ name }) => name) ?? [];
  if (names.includes(instance)) return;
  throw new PluginError(
    `the cluster ${metadata.name} has no instance ${instance}; existing instances: ${names.join(', ') || 'none'}`,
  );
}
