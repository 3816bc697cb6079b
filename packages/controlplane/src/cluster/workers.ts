// Everything that a cluster runs in addition to its API server, in one module so it can be loaded once the server listens.
export { silentLogger } from '@kubewright/runtime';
export { builtInControllers } from '../controllers/index.ts';
export { schedulerController } from '../scheduler/index.ts';
export { startNodes } from './cluster-nodes.ts';
export { Components } from './components.ts';
