export { applyManifests, ManifestError } from './apply-manifests.ts';
export type { NodeSettings } from './cluster-nodes.ts';
export { type ClusterLimits, EmbeddedCluster, type EmbeddedClusterOptions } from './embedded-cluster.ts';
export { clusterProcess, StateDirectoryError } from './state-directory.ts';
export { TestEnvironment, type TestEnvironmentOptions } from './testing/test-environment.ts';
export { TestEnvironmentError } from './testing/test-environment-error.ts';
