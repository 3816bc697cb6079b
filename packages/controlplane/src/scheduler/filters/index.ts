import type { Filter } from './filter.ts';
import { nodeAffinity } from './node-affinity.ts';
import { nodeName } from './node-name.ts';
import { nodePorts } from './node-ports.ts';
import { nodeResourcesFit } from './node-resources-fit.ts';
import { nodeUnschedulable, taintToleration } from './taints.ts';

export type { Filter } from './filter.ts';
export { preferredAffinity } from './node-affinity.ts';
export { intolerablePreferences } from './taints.ts';

/** The filters in kube-scheduler's order. Only the first filter that rejects a node reports its reasons. */
export const filters: readonly Filter[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodePorts,
  nodeResourcesFit,
];
