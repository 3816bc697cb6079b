// What a cluster runs beside its API server, in one module so that it can be loaded once that listens.
export { silentLogger } from '@kubewright/runtime';
export { builtInControllers } from '../controllers/index.ts';
export { schedulerController } from '../scheduler/index.ts';
export { startNodes } from './cluster-nodes.ts';
export { Components } from './components.ts';
