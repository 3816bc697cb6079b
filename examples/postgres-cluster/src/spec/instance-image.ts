import type { Stored } from '@kubewright/apimachinery';
import type { PostgresCluster } from '../api/v1/postgres-cluster.ts';

/** The default of `spec.version`. */
export const defaultVersion = '15';

/**
 * Returns the image of the instances. While the data has another version than the spec requests, the instances keep their current
 * image.
 *
 * @param image - the operator's image, without a tag
 */
export function instanceImage(cluster: Stored<PostgresCluster>, image: string): string {
  const { spec, status = {} } = cluster;
  const { version = defaultVersion } = spec;
  if (status.version === undefined || status.version === version) return requestedImage(cluster, image);
  return status.image ?? `${image}:${status.version}`;
}

/** Returns the image of the requested version. */
export function requestedImage({ spec }: Stored<PostgresCluster>, image: string): string {
  return spec.image ?? `${image}:${spec.version ?? defaultVersion}`;
}
