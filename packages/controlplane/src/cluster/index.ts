export { applyManifests, ManifestError } from './apply-manifests.ts';
export { EmbeddedCluster, type EmbeddedClusterOptions, type NodeSettings } from './embedded-cluster.ts';
export { StateDirectoryError } from './state-directory.ts';
