import { describe, expect, it } from 'vitest';
import { requesting, testNode, testPending, testPod } from '../testdata/test-view.ts';
import { scores } from '../testdata/verdicts.ts';
import { nodeResourcesBalancedAllocation } from './node-resources-balanced-allocation.ts';

describe('NodeResourcesBalancedAllocation', () => {
  it('prefers nodes where the pod brings the utilization of CPU and memory closer together', () => {
    const nodes = [testNode('cpu'), testNode('memory')];
    const pods = [
      testPod('a', { spec: { ...requesting({ cpu: '2' }), nodeName: 'cpu' } }),
      testPod('b', { spec: { ...requesting({ memory: '4Gi' }), nodeName: 'memory' } }),
    ];
    const pod = testPending('p', { spec: requesting({ memory: '4Gi' }) });
    expect(scores(nodeResourcesBalancedAllocation, pod, { nodes, pods })).toEqual({ cpu: 87, memory: 62 });
    expect(scores(nodeResourcesBalancedAllocation, testPending('q'), { nodes, pods })).toEqual({ cpu: 0, memory: 0 });
  });
});
