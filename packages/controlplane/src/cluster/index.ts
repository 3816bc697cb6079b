export { applyManifests, ManifestError } from './apply-manifests.ts';
export { EmbeddedCluster, type EmbeddedClusterOptions } from './embedded-cluster.ts';
export { StateDirectoryError } from './state-directory.ts';
