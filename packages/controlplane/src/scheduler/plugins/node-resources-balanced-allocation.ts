import { maxNodeScore, type Plugin } from '../framework/plugin.ts';

/** Prefers nodes where the pod brings the utilization of CPU and memory closer together. */
export const nodeResourcesBalancedAllocation: Plugin = {
  name: 'NodeResourcesBalancedAllocation',
  preScore({ requests }) {
    if (requests.milliCpu === 0 && requests.memory === 0) return undefined;
    return {
      score({ allocatable, requested }) {
        const { milliCpu, memory } = allocatable;
        const after = balance(
          share(requested.milliCpu + requests.milliCpu, milliCpu),
          share(requested.memory + requests.memory, memory),
        );
        const before = balance(share(requested.milliCpu, milliCpu), share(requested.memory, memory));
        const half = maxNodeScore / 2;
        return half + Math.trunc((half + after - before) / 2);
      },
    };
  },
};

/** Returns the fraction of a resource that is used, or undefined if the node has none of it. */
function share(used: number, capacity: number): number | undefined {
  return capacity === 0 ? undefined : Math.min(used / capacity, 1);
}

function balance(cpu: number | undefined, memory: number | undefined): number {
  const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs((cpu - memory) / 2);
  return Math.trunc((1 - deviation) * maxNodeScore);
}
