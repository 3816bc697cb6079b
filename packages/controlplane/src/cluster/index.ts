export { applyManifests, ManifestError } from './apply-manifests.ts';
export { EmbeddedCluster, type EmbeddedClusterOptions, type NodeSettings } from './embedded-cluster.ts';
export { clusterProcess, StateDirectoryError } from './state-directory.ts';
