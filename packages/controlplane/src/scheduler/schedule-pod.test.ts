import { seededRandom } from '@kubewright/apimachinery';
import { describe, expect, it } from 'vitest';
import { explain } from './framework/fit-error.ts';
import { defaultPlugins } from './plugins/index.ts';
import { nodesToFind, schedulePod } from './schedule-pod.ts';
import { requesting, type TestObjects, testNode, testPending, testPod, testView } from './testdata/test-view.ts';

function choose(pod: ReturnType<typeof testPending>, objects: TestObjects, seed = 1): string {
  const options = { plugins: defaultPlugins, view: testView(objects), nominated: () => [], start: { index: 0 } };
  const choice = schedulePod(pod, { ...options, random: seededRandom(seed) });
  return 'node' in choice ? choice.node.name : explain(choice.diagnosis);
}

describe('schedulePod', () => {
  it('summarizes the reasons of all nodes in one message', () => {
    const nodes = [
      testNode('cordoned', { spec: { unschedulable: true } }),
      testNode('small', { allocatable: { cpu: '1' } }),
      testNode('tainted', { spec: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }] } }),
    ];
    expect(choose(testPending('p', { spec: requesting({ cpu: '2' }) }), { nodes })).toBe(
      '0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable.',
    );
  });

  it('prefers the node with more free resources', () => {
    const nodes = [testNode('a'), testNode('b')];
    const pods = [testPod('busy', { spec: { ...requesting({ cpu: '2' }), nodeName: 'a' } })];
    expect(choose(testPending('p', { spec: requesting({ cpu: '1' }) }), { nodes, pods })).toBe('b');
  });

  it('chooses among equal nodes at random', () => {
    const nodes = [testNode('a'), testNode('b'), testNode('c')];
    const chosen = new Set(Array.from({ length: 40 }, (_, seed) => choose(testPending('p'), { nodes }, seed)));
    expect([...chosen].sort()).toEqual(['a', 'b', 'c']);
  });

  it('examines only the nodes that required affinity names, and counts the other nodes in the message', () => {
    const nodes = [testNode('a', { allocatable: { cpu: '1' } }), testNode('b'), testNode('c')];
    const term = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['a'] }] };
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
    };
    const pod = testPending('p', { spec: { ...requesting({ cpu: '2' }), affinity } });
    expect(choose(pod, { nodes })).toBe(
      "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity].",
    );
  });

  it('starts each search in a large cluster where the previous one stopped', () => {
    const view = testView({ nodes: Array.from({ length: 300 }, (_, i) => testNode(`n${i}`)) });
    const start = { index: 0 };
    const options = { plugins: defaultPlugins, view, nominated: () => [], start, random: seededRandom(1) };
    for (const expected of [144, 288, 132]) {
      schedulePod(testPending('p'), options);
      expect(start.index).toBe(expected);
    }
  });

  it.each([
    [1, 1],
    [99, 99],
    [100, 100],
    [300, 144],
    [1_000, 420],
    [5_000, 500],
    [10_000, 500],
  ])('with %i nodes, stops after %i feasible ones', (nodes, enough) => {
    expect(nodesToFind(nodes)).toBe(enough);
  });
});
