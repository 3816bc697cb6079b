import type { Stored } from '@kubewright/apimachinery';
import {
  PostgresCluster,
  type PostgresClusterSpec,
  type RecoveryTarget,
  type Restore,
} from '../api/v1/postgres-cluster.ts';
import { PluginError } from './plugin-error.ts';

export interface RestoreOptions {
  readonly name: string;
  readonly backup?: string | undefined;
  readonly target: RecoveryTarget;
  readonly instances?: number | undefined;
}

/**
 * Returns a new cluster that is restored from the archive of another one, with the same settings. Its own archive is a folder
 * with its name, next to the folder of the origin. @throws PluginError if the origin has no archive
 */
export function restoredCluster(origin: Stored<PostgresCluster>, options: RestoreOptions): PostgresCluster {
  const { name: from, namespace = '' } = origin.metadata;
  const { name, backup, target, instances } = options;
  // These describe the state of the origin.
  const { bootstrap: _, fenced: __, hibernated: ___, paused: ____, ...spec } = origin.spec;
  if (!spec.backup) throw new PluginError(`${from} has no archive to restore from; restore needs spec.backup`);
  if (name === from) throw new PluginError(`choose another name than ${from}: a restore creates a new cluster`);
  const hasTarget = Object.keys(target).length > 0;
  const restore: Restore = {
    ...(backup && { backup }),
    from: { cluster: origin.status?.archiveName ?? from, target: spec.backup },
    ...(hasTarget && { target }),
  };
  return PostgresCluster({
    metadata: { namespace, name },
    spec: { ...spec, ...(instances && resized(spec, instances)), bootstrap: { restore } },
  });
}

/** No more replicas can confirm commits than there are. */
function resized({ replication = {} }: PostgresClusterSpec, instances: number): Partial<PostgresClusterSpec> {
  const synchronous = Math.min(replication.synchronous ?? 0, instances - 1);
  return { instances, replication: { ...replication, synchronous } };
}
