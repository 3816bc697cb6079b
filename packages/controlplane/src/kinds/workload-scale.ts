import type { ScaleSubresource } from './subresources.ts';

/** The field paths of a workload's scale. */
export const workloadScale: ScaleSubresource = {
  type: 'scale',
  specReplicasPath: ['spec', 'replicas'],
  statusReplicasPath: ['status', 'replicas'],
  selectorPath: ['spec', 'selector'],
};
