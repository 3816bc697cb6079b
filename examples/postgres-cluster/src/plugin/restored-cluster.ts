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
 * Returns a new cluster with the spec of `origin`, to be restored from its archive. The new cluster archives into its own folder,
 * next to the folder of the origin. @throws PluginError if the origin has no archive, or the names are equal
 */
export function restoredCluster(origin: Stored<PostgresCluster>, options: RestoreOptions): PostgresCluster {
  const { name: from, namespace = '' } = origin.metadata;
  const { name, backup, target, instances } = options;
  // These fields do not apply to the new cluster.
  const { bootstrap: _, fenced: __, hibernated: ___, paused: ____, ...spec } = origin.spec;
  if (!spec.backup) throw new PluginError(`the cluster ${from} has no archive to restore from: spec.backup is not set`);
  if (name === from) throw new PluginError(`choose a name other than ${from}: a restore creates a new cluster`);
  const { volume, s3 } = spec.backup;
  const hasTarget = Object.keys(target).length > 0;
  const restore: Restore = {
    ...(backup && { backup }),
    from: { cluster: origin.status?.archiveName ?? from, target: { ...(volume && { volume }), ...(s3 && { s3 }) } },
    ...(hasTarget && { target }),
  };
  return PostgresCluster({
    metadata: { namespace, name },
    spec: {
      ...withDataVersion(spec, origin.status?.version),
      ...(instances && resized(spec, instances)),
      bootstrap: { restore },
    },
  });
}

/**
 * Returns the spec with the version of the archived data. If an upgrade is in progress or has failed, that version
 * differs from the spec's, so the image, which has the spec's version, is left out.
 */
function withDataVersion({ image, ...spec }: PostgresClusterSpec, version = spec.version): PostgresClusterSpec {
  if (version !== undefined && version !== spec.version) return { ...spec, version };
  return { ...spec, ...(image !== undefined && { image }) };
}

/** Changes the number of instances. Limits `synchronous` to the number of replicas. */
function resized({ replication = {} }: PostgresClusterSpec, instances: number): Partial<PostgresClusterSpec> {
  const synchronous = Math.min(replication.synchronous ?? 0, instances - 1);
  return { instances, replication: { ...replication, synchronous } };
}
