// The declarations refer to Node's types. With this reference, users need not list @types/node.
/// <reference types="@types/node/index.d.ts" preserve="true" />

export { applyManifests } from './cluster/apply-manifests.ts';
export { EmbeddedCluster } from './cluster/embedded-cluster.ts';
export type { EmbeddedClusterOptions } from './cluster/embedded-cluster-options.ts';
export { StateDirectoryError } from './cluster/state-directory.ts';
export { TestEnvironment } from './cluster/testing/test-environment.ts';
export type { TestNamespace } from './cluster/testing/test-namespace.ts';
export type { NodeConnector } from './kube-apiserver/pods/node-connector.ts';
