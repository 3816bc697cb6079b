import type { Affinity, PodAffinityTerm } from '@kubewright/apimachinery/core/v1';
import { defined } from '@kubewright/apimachinery/internal';
import { describe, expect, it } from 'vitest';
import { podInfo } from '../cluster/pod-info.ts';
import { testNode, testPending, testPod } from '../testdata/test-view.ts';
import { reconsiders, scores, verdicts } from '../testdata/verdicts.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';

const zoneKey = 'topology.kubernetes.io/zone';
const nodes = [
  testNode('a', { labels: { [zoneKey]: 'z1' } }),
  testNode('b', { labels: { [zoneKey]: 'z1' } }),
  testNode('c', { labels: { [zoneKey]: 'z2' } }),
];
const namespaces = { d: { team: 'red' }, other: { team: 'blue' } };
const near = (app: string, more: Partial<PodAffinityTerm> = {}): PodAffinityTerm => ({
  topologyKey: zoneKey,
  labelSelector: { matchLabels: { app } },
  ...more,
});
const attracted = (...terms: PodAffinityTerm[]): Affinity => ({
  podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const repelled = (...terms: PodAffinityTerm[]): Affinity => ({
  podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms },
});
const web = (affinity?: Affinity) => testPending('p', { labels: { app: 'web' }, spec: affinity ? { affinity } : {} });
const db = (more: { readonly namespace?: string; readonly affinity?: Affinity } = {}) => {
  const { affinity, ...rest } = more;
  return testPod('db', { ...rest, labels: { app: 'db' }, spec: { nodeName: 'a', ...defined({ affinity }) } });
};
const noAffinity = "node(s) didn't match pod affinity rules";
const anti = "node(s) didn't match pod anti-affinity rules";
const existing = "node(s) didn't satisfy existing pods anti-affinity rules";

describe('InterPodAffinity', () => {
  it.each<[string, Affinity | undefined, ReturnType<typeof db>, Record<string, string>]>([
    ['no terms', undefined, db(), { a: 'fits', b: 'fits', c: 'fits' }],
    ['affinity to a zone', attracted(near('db')), db(), { a: 'fits', b: 'fits', c: noAffinity }],
    ['anti-affinity to a zone', repelled(near('db')), db(), { a: anti, b: anti, c: 'fits' }],
    [
      'anti-affinity to a node',
      repelled(near('db', { topologyKey: 'kubernetes.io/hostname' })),
      db(),
      { a: anti, b: 'fits', c: 'fits' },
    ],
    [
      'anti-affinity of a running pod',
      undefined,
      db({ affinity: repelled(near('web')) }),
      { a: existing, b: existing, c: 'fits' },
    ],
    [
      'pods in another namespace',
      repelled(near('db')),
      db({ namespace: 'other' }),
      { a: 'fits', b: 'fits', c: 'fits' },
    ],
    [
      'a term that lists a namespace',
      repelled(near('db', { namespaces: ['other'] })),
      db({ namespace: 'other' }),
      { a: anti, b: anti, c: 'fits' },
    ],
    [
      'a term that selects namespaces by label',
      repelled(near('db', { namespaceSelector: { matchLabels: { team: 'blue' } } })),
      db({ namespace: 'other' }),
      { a: anti, b: anti, c: 'fits' },
    ],
    [
      'a term that selects all namespaces',
      repelled(near('db', { namespaceSelector: {} })),
      db({ namespace: 'other' }),
      { a: anti, b: anti, c: 'fits' },
    ],
    [
      'the first pod of a group with affinity to itself',
      attracted(near('web')),
      db(),
      { a: 'fits', b: 'fits', c: 'fits' },
    ],
    [
      'terms that no single pod matches',
      attracted(near('db'), near('cache')),
      db(),
      { a: noAffinity, b: noAffinity, c: noAffinity },
    ],
    [
      'a topology key that no node has',
      attracted(near('web', { topologyKey: 'rack' })),
      db(),
      { a: noAffinity, b: noAffinity, c: noAffinity },
    ],
  ])('filters: %s', (_name, affinity, running, expected) => {
    expect(verdicts(interPodAffinity, web(affinity), { nodes, pods: [running], namespaces })).toEqual(expected);
  });

  it('sums the preferences of the pod and the preferences of running pods for the pod', () => {
    const preferred = (weight: number, app: string) => [{ weight, podAffinityTerm: near(app) }];
    const wants = { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred(10, 'db') } };
    const avoids = { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred(30, 'web') } };
    const score = (mine: Affinity, theirs?: Affinity) =>
      scores(interPodAffinity, web(mine), { nodes, pods: [db(theirs && { affinity: theirs })], namespaces });
    expect(score(wants)).toEqual({ a: 100, b: 100, c: 0 });
    expect(score(wants, avoids)).toEqual({ a: 0, b: 0, c: 100 });
  });

  it('prefers the domains of running pods whose required affinity matches the pod', () => {
    const pods = [db({ affinity: attracted(near('web')) })];
    expect(scores(interPodAffinity, web(), { nodes, pods, namespaces })).toEqual({ a: 100, b: 100, c: 0 });
  });

  it('reconsiders a pod when a pod that its affinity needs is added, or a pod with anti-affinity to it is deleted', () => {
    const running = podInfo(db());
    const repelling = podInfo(db({ affinity: repelled(near('web')) }));
    const answers = [
      reconsiders(interPodAffinity, web(attracted(near('db'))), { resource: 'Pod', action: 'Add', now: running }),
      reconsiders(interPodAffinity, web(attracted(near('other'))), { resource: 'Pod', action: 'Add', now: running }),
      reconsiders(interPodAffinity, web(repelled(near('db'))), { resource: 'Pod', action: 'Delete', old: running }),
      reconsiders(interPodAffinity, web(), { resource: 'Pod', action: 'Delete', old: repelling }),
      reconsiders(interPodAffinity, web(), { resource: 'Pod', action: 'Delete', old: running }),
    ];
    expect(answers).toEqual([true, false, true, true, false]);
  });
});
