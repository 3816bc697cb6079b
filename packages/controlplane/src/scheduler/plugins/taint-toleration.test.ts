import type { Taint, Toleration } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { nodeChanges } from '../node-events.ts';
import { testNode, testPending } from '../testdata/test-view.ts';
import { reconsiders, scores, verdicts } from '../testdata/verdicts.ts';
import { taintToleration } from './taint-toleration.ts';

const untolerated = 'node(s) had untolerated taint(s)';
const taint: Taint = { key: 'k', value: 'v', effect: 'NoSchedule' };
const tainted = (...taints: Taint[]) => testNode('n', { spec: { taints } });
const tolerating = (...tolerations: Toleration[]) => testPending('p', { spec: { tolerations } });

describe('TaintToleration', () => {
  it.each<[string, Toleration[], Taint[], string]>([
    ['no taint', [], [], 'fits'],
    ['an untolerated taint', [], [taint], untolerated],
    ['an untolerated PreferNoSchedule taint', [], [{ ...taint, effect: 'PreferNoSchedule' }], 'fits'],
    ['a toleration of key, value and effect', [{ key: 'k', value: 'v', effect: 'NoSchedule' }], [taint], 'fits'],
    ['a toleration of another value', [{ key: 'k', value: 'w', effect: 'NoSchedule' }], [taint], untolerated],
    ['a toleration of another effect', [{ key: 'k', value: 'v', effect: 'NoExecute' }], [taint], untolerated],
    ['a toleration of every effect', [{ key: 'k', value: 'v' }], [{ ...taint, effect: 'NoExecute' }], 'fits'],
    ['a toleration of every value', [{ key: 'k', operator: 'Exists' }], [taint], 'fits'],
    ['a toleration of every taint', [{ operator: 'Exists' }], [taint, { key: 'other', effect: 'NoExecute' }], 'fits'],
    [
      'a toleration of one of two taints',
      [{ key: 'k', operator: 'Exists' }],
      [taint, { key: 'other', effect: 'NoExecute' }],
      untolerated,
    ],
  ])('filters by taints and tolerations: %s', (_name, tolerations, taints, verdict) => {
    expect(verdicts(taintToleration, tolerating(...tolerations), { nodes: [tainted(...taints)] })).toEqual({
      n: verdict,
    });
  });

  it('prefers nodes with fewer untolerated PreferNoSchedule taints', () => {
    const prefer = (key: string): Taint => ({ key, effect: 'PreferNoSchedule' });
    const node = (name: string, ...taints: Taint[]) => testNode(name, { spec: { taints } });
    const nodes = [node('none'), node('one', prefer('a')), node('two', prefer('a'), prefer('b'))];
    expect(scores(taintToleration, tolerating(), { nodes })).toEqual({ none: 100, one: 50, two: 0 });
    const pod = tolerating({ key: 'b', operator: 'Exists' });
    expect(scores(taintToleration, pod, { nodes })).toEqual({ none: 100, one: 0, two: 0 });
  });

  it('reconsiders a pod when an untolerated taint is removed, and only then', () => {
    const [removed] = nodeChanges(tainted(taint), tainted());
    const [replaced] = nodeChanges(tainted(taint), tainted({ ...taint, key: 'other' }));
    expect([removed, replaced].map((event) => event && reconsiders(taintToleration, tolerating(), event))).toEqual([
      true,
      false,
    ]);
  });
});
