import { describe, expect, it } from 'vitest';
import { nodeChanges } from '../node-events.ts';
import { testNode, testPending } from '../testdata/test-view.ts';
import { reconsiders, verdicts } from '../testdata/verdicts.ts';
import { nodeUnschedulable } from './node-unschedulable.ts';

const cordoned = testNode('n', { spec: { unschedulable: true } });
const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' as const }];

describe('NodeUnschedulable', () => {
  it('rejects cordoned nodes unless the pod tolerates the unschedulable taint', () => {
    const rejected = { n: 'node(s) were unschedulable' };
    expect(verdicts(nodeUnschedulable, testPending('p'), { nodes: [cordoned] })).toEqual(rejected);
    expect(verdicts(nodeUnschedulable, testPending('p', { spec: { tolerations } }), { nodes: [cordoned] })).toEqual({
      n: 'fits',
    });
  });

  it('reconsiders a pod when a node is uncordoned, but not when it is cordoned', () => {
    const events = [...nodeChanges(cordoned, testNode('n')), ...nodeChanges(testNode('n'), cordoned)];
    expect(events.map((event) => reconsiders(nodeUnschedulable, testPending('p'), event))).toEqual([true]);
  });
});
