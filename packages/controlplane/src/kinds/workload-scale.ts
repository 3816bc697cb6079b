import type { ScaleSubresource } from './subresources.ts';

/** The scale subresource of a workload, with its field paths. */
export const workloadScale: ScaleSubresource = {
  type: 'scale',
  specReplicasPath: ['spec', 'replicas'],
  statusReplicasPath: ['status', 'replicas'],
  selectorPath: ['spec', 'selector'],
};
