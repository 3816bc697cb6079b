import type { NodeSelectorRequirement, NodeSelectorTerm } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { nodeChanges } from '../node-events.ts';
import { testNode, testPending } from '../testdata/test-view.ts';
import { reconsiders, scores, verdicts } from '../testdata/verdicts.ts';
import { nodeAffinity } from './node-affinity.ts';

const nodes = [
  testNode('ssd', { labels: { disk: 'ssd', size: '12' } }),
  testNode('hdd', { labels: { disk: 'hdd', size: 'large' } }),
  testNode('bare'),
];
const other = "node(s) didn't match Pod's node affinity/selector";
const required = (...nodeSelectorTerms: NodeSelectorTerm[]) =>
  testPending('p', {
    spec: { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
  });
const fitting = (pod: ReturnType<typeof testPending>) =>
  Object.entries(verdicts(nodeAffinity, pod, { nodes })).flatMap(([name, verdict]) =>
    verdict === 'fits' ? [name] : [],
  );

describe('NodeAffinity', () => {
  it.each<[NodeSelectorRequirement, string[]]>([
    [{ key: 'disk', operator: 'In', values: ['ssd', 'nvme'] }, ['ssd']],
    [{ key: 'disk', operator: 'NotIn', values: ['hdd'] }, ['ssd', 'bare']],
    [{ key: 'disk', operator: 'Exists' }, ['ssd', 'hdd']],
    [{ key: 'disk', operator: 'DoesNotExist' }, ['bare']],
    [{ key: 'size', operator: 'Gt', values: ['11'] }, ['ssd']],
    [{ key: 'size', operator: 'Lt', values: ['12'] }, []],
    [{ key: 'constructor', operator: 'Exists' }, []],
  ])('matches %o', (expression, expected) => {
    expect(fitting(required({ matchExpressions: [expression] }))).toEqual(expected);
  });

  it('requires a node to match any of several terms, and matches no node for an empty term', () => {
    const ssd = { matchExpressions: [{ key: 'disk', operator: 'In' as const, values: ['ssd'] }] };
    const bare = { matchFields: [{ key: 'metadata.name', operator: 'In' as const, values: ['bare'] }] };
    expect(fitting(required(ssd, bare))).toEqual(['ssd', 'bare']);
    expect(fitting(required({}))).toEqual([]);
  });

  it('requires the labels of the nodeSelector', () => {
    const pod = testPending('p', { spec: { nodeSelector: { disk: 'hdd' } } });
    expect(verdicts(nodeAffinity, pod, { nodes })).toEqual({ ssd: other, hdd: 'fits', bare: other });
  });

  it('rejects a pod if no node satisfies both names in a term', () => {
    const name = (value: string) => ({ key: 'metadata.name', operator: 'In' as const, values: [value] });
    const pod = required({ matchFields: [name('ssd'), name('hdd')] });
    expect(verdicts(nodeAffinity, pod, { nodes })).toMatchObject({ ssd: 'pod affinity terms conflict' });
  });

  it('sums the weights of the preferred terms that match', () => {
    const term = (weight: number, key: string) => ({
      weight,
      preference: { matchExpressions: [{ key, operator: 'Exists' as const }] },
    });
    const preferred = [term(30, 'disk'), term(10, 'size'), term(40, 'kubernetes.io/hostname')];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    const pod = testPending('p', { spec: { affinity } });
    expect(scores(nodeAffinity, pod, { nodes })).toEqual({ ssd: 100, hdd: 100, bare: 50 });
  });

  it('reconsiders a pod when a node starts to match', () => {
    const pod = testPending('p', { spec: { nodeSelector: { disk: 'ssd' } } });
    const labeled = (disk: string) => testNode('n', { labels: { disk } });
    const became = nodeChanges(labeled('hdd'), labeled('ssd'));
    const remains = nodeChanges(labeled('ssd'), testNode('n', { labels: { disk: 'ssd', more: 'yes' } }));
    const added = nodeChanges(undefined, labeled('hdd'));
    const answers = [...became, ...remains, ...added].map((event) => reconsiders(nodeAffinity, pod, event));
    expect(answers).toEqual([true, false, false]);
  });
});
