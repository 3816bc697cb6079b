/**
 * Exports for the other packages of Kubewright. Not part of the public API: it changes without notice, and programs that
 * use Kubewright must not import it.
 *
 * @internal
 * @packageDocumentation
 */
export { clusterProcess } from './cluster/state-directory.ts';
export { inMemoryServer } from './cluster/testing/in-memory-server.ts';
export { ImageStore } from './images/image-store.ts';
export { scriptedPodStatus } from './node/simulated/scripted-pod-status.ts';
