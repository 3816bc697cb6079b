import type { ScaleSubresource } from '../registry/resource-definition.ts';

/** Where workloads keep what the scale view shows. */
export const workloadScale: ScaleSubresource = {
  type: 'scale',
  specReplicasPath: ['spec', 'replicas'],
  statusReplicasPath: ['status', 'replicas'],
  selectorPath: ['spec', 'selector'],
};
