export { AdmissionChain } from './admission-chain.ts';
export type { AdmissionAttributes, AdmissionPlugin } from './admission-plugin.ts';
export { namespaceLifecycle } from './namespace-lifecycle.ts';
