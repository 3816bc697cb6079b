import { PodDisruptionBudget } from '@kubewright/apimachinery/policy/v1';
import { describe, expect, it } from 'vitest';
import type { PodInfo } from '../cluster/pod-info.ts';
import { PodFilters } from '../framework/pod-filters.ts';
import { defaultPlugins } from '../plugins/index.ts';
import { requesting, testNode, testPending, testPod, testView } from '../testdata/test-view.ts';
import { pickVictims } from './pick-victims.ts';
import { selectVictims, type Victims } from './victims.ts';

const running = (name: string, priority: number, cpu: string, labels: Record<string, string> = {}) =>
  testPod(name, { labels, spec: { ...requesting({ cpu }), priority, nodeName: 'n' } });
/** Start times follow the order of the pods' names. */
const startMs = ({ name }: PodInfo): number => name.charCodeAt(0);

function select(
  pods: readonly ReturnType<typeof running>[],
  more: { readonly cpu?: string; readonly budgets?: readonly PodDisruptionBudget[] } = {},
): string | readonly string[] {
  const { cpu = '2', budgets = [] } = more;
  const view = testView({ nodes: [testNode('n')], pods });
  const pod = testPending('p', { spec: { ...requesting({ cpu }), priority: 100 } });
  const filters = PodFilters.prepare(pod, { plugins: defaultPlugins, view, nominated: () => [] });
  const [node] = view.cache.nodes;
  if (!(filters instanceof PodFilters) || !node) throw new Error('no filters');
  const result = selectVictims(filters, node, { budgets, startMs });
  return 'reasons' in result ? result.reasons.join(', ') : result.pods.map(({ name }) => name);
}

describe('selectVictims', () => {
  it.each<[string, Parameters<typeof select>, string | readonly string[]]>([
    [
      'no pods if none has a lower priority',
      [[running('a', 100, '4')]],
      'No preemption victims found for incoming pod',
    ],
    [
      'no pods if evicting all of them would not be enough',
      [[running('a', 0, '1'), running('b', 200, '3')]],
      'Insufficient cpu',
    ],
    ['the pod of lowest priority', [[running('a', 10, '2'), running('b', 0, '2')]], ['b']],
    ['the pod that started last if priorities are equal', [[running('a', 0, '2'), running('b', 0, '2')]], ['b']],
    ['only as many pods as needed', [[running('a', 0, '1'), running('b', 0, '1'), running('c', 0, '2')]], ['c']],
    [
      'all pods if needed, the most important first',
      [[running('a', 5, '2'), running('b', 10, '2')], { cpu: '4' }],
      ['b', 'a'],
    ],
  ])('selects: %s', (_name, args, expected) => {
    expect(select(...args)).toEqual(expected);
  });

  it('spares pods that a disruption budget protects', () => {
    const budget = {
      ...PodDisruptionBudget({
        metadata: { name: 'b', namespace: 'd' },
        spec: { selector: { matchLabels: { app: 'db' } } },
      }),
      status: { disruptionsAllowed: 0, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    };
    const pods = [running('a', 10, '2'), running('b', 0, '2', { app: 'db' })];
    expect(select(pods)).toEqual(['b']);
    expect(select(pods, { budgets: [budget] })).toEqual(['a']);
  });
});

describe('pickVictims', () => {
  const victims = (node: string, violations: number, ...pods: readonly (readonly [string, number])[]): Victims => {
    const view = testView({
      nodes: [testNode(node)],
      pods: pods.map(([name, priority]) => running(name, priority, '1')),
    });
    return {
      node: view.cache.node(node)!,
      violations,
      pods: pods.flatMap(([name]) => view.cache.pod(`uid-of-${name}`) ?? []),
    };
  };

  it.each<[string, readonly Victims[]]>([
    ['violates the fewest budgets', [victims('x', 1, ['a', 0]), victims('best', 0, ['b', 50])]],
    ['has the least important top victim', [victims('x', 0, ['a', 9]), victims('best', 0, ['b', 8], ['c', 8])]],
    [
      'has victims with the lowest sum of priorities',
      [victims('x', 0, ['a', 9], ['b', 8]), victims('best', 0, ['c', 9], ['d', 7])],
    ],
    ['needs the fewest victims', [victims('x', 0, ['a', 0], ['b', 0]), victims('best', 0, ['c', 0])]],
    ['has the victims that started last', [victims('x', 0, ['a', 0]), victims('best', 0, ['b', 0])]],
  ])('picks the node that %s', (_name, candidates) => {
    expect(pickVictims(candidates, startMs)?.node.name).toBe('best');
    expect(pickVictims([...candidates].reverse(), startMs)?.node.name).toBe('best');
  });
});
