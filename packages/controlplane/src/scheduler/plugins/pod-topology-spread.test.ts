import type { TopologySpreadConstraint } from '@kubewright/apimachinery/core/v1';
import { describe, expect, it } from 'vitest';
import { podInfo } from '../cluster/pod-info.ts';
import { nodeChanges } from '../node-events.ts';
import { testNode, testPending, testPod } from '../testdata/test-view.ts';
import { reconsiders, scores, verdicts } from '../testdata/verdicts.ts';
import { podTopologySpread } from './pod-topology-spread.ts';

const zoneKey = 'topology.kubernetes.io/zone';
const skewed = "node(s) didn't match pod topology spread constraints";
const inZone = (name: string, zone: string, more = {}) => testNode(name, { labels: { [zoneKey]: zone }, ...more });
const labels = { app: 'web', track: 'new' };
const on = (nodeName: string, ...names: string[]) =>
  names.map((name) => testPod(name, { labels: { app: 'web' }, spec: { nodeName } }));
const spread = (more: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint => ({
  maxSkew: 1,
  topologyKey: zoneKey,
  whenUnsatisfiable: 'DoNotSchedule',
  labelSelector: { matchLabels: { app: 'web' } },
  ...more,
});
const spreading = (...topologySpreadConstraints: TopologySpreadConstraint[]) =>
  testPending('p', { labels, spec: { topologySpreadConstraints } });

describe('PodTopologySpread', () => {
  const nodes = [inZone('a', 'z1'), inZone('b', 'z2'), testNode('elsewhere')];
  const pods = on('a', 'one', 'two');

  it.each<[string, Partial<TopologySpreadConstraint>, Record<string, string>]>([
    ['limits the skew', {}, { a: skewed, b: 'fits' }],
    ['allows a larger skew', { maxSkew: 3 }, { a: 'fits', b: 'fits' }],
    ['requires a number of domains', { minDomains: 3, maxSkew: 2 }, { a: skewed, b: 'fits' }],
    [
      'counts only pods with the same value of a matchLabelKeys label',
      { matchLabelKeys: ['track'] },
      { a: 'fits', b: 'fits' },
    ],
    [
      'ignores a matchLabelKeys label that the pod does not have',
      { matchLabelKeys: ['constructor'] },
      { a: skewed, b: 'fits' },
    ],
    ['counts no pods with an empty selector', { labelSelector: {} }, { a: 'fits', b: 'fits' }],
  ])('%s', (_name, more, expected) => {
    const missing = { elsewhere: `${skewed} (missing required label)` };
    expect(verdicts(podTopologySpread, spreading(spread(more)), { nodes, pods })).toEqual({ ...expected, ...missing });
  });

  it('counts neither pods in other namespaces nor pods that are being deleted', () => {
    const foreign = testPod('f', { namespace: 'other', labels, spec: { nodeName: 'a' } });
    const leaving = testPod('l', { labels, spec: { nodeName: 'a' } });
    const deleted = { ...leaving, metadata: { ...leaving.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const zones = [inZone('a', 'z1'), inZone('b', 'z2')];
    expect(verdicts(podTopologySpread, spreading(spread()), { nodes: zones, pods: [foreign, deleted] })).toEqual({
      a: 'fits',
      b: 'fits',
    });
  });

  it('leaves out nodes that the pod does not tolerate if nodeTaintsPolicy is Honor', () => {
    const taints = [{ key: 'k', effect: 'NoSchedule' as const }];
    const zones = [inZone('a', 'z1'), inZone('b', 'z2', { spec: { taints } })];
    const verdict = (policy: 'Honor' | 'Ignore') =>
      verdicts(podTopologySpread, spreading(spread({ nodeTaintsPolicy: policy })), { nodes: zones, pods })['a'];
    expect([verdict('Ignore'), verdict('Honor')]).toEqual([skewed, 'fits']);
  });

  it('prefers domains with fewer pods of the same workload if the pod has no constraints', () => {
    const workload = { matchLabels: { app: 'web' } };
    const zones = [inZone('a', 'z1'), inZone('a2', 'z1'), inZone('b', 'z2')];
    const pod = testPending('p', { labels });
    expect(scores(podTopologySpread, pod, { nodes: zones, pods, workload })).toEqual({ a: 50, a2: 75, b: 100 });
    expect(scores(podTopologySpread, pod, { nodes: zones, pods })).toEqual({ a: 0, a2: 0, b: 0 });
  });

  it('gives nodes without the labels of soft constraints the lowest score', () => {
    const pod = spreading(spread({ whenUnsatisfiable: 'ScheduleAnyway' }));
    expect(scores(podTopologySpread, pod, { nodes, pods })).toEqual({ a: 0, b: 100, elsewhere: 0 });
  });

  it('reconsiders a pod when matching pods or topology domains change', () => {
    const pod = spreading(spread());
    const [counted] = on('a', 'one');
    const old = podInfo(counted!);
    const events = [
      { resource: 'Pod', action: 'Delete', old } as const,
      { resource: 'Pod', action: 'Delete', old: { ...old, labels: {} } } as const,
      ...nodeChanges(undefined, inZone('c', 'z3')),
      ...nodeChanges(undefined, testNode('d')),
      ...nodeChanges(inZone('a', 'z1'), inZone('a', 'z2')),
    ];
    expect(events.map((event) => reconsiders(podTopologySpread, pod, event))).toEqual([true, false, true, false, true]);
  });
});
