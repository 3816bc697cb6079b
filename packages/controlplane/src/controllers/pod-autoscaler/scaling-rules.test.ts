import type { HorizontalPodAutoscalerBehavior } from '@kubewright/apimachinery/autoscaling/v2';
import { describe, expect, it } from 'vitest';
import { limitScaling, type Sample, type ScalingHistory, trimHistory } from './scaling-rules.ts';

const nowMs = 1_000_000;
const none: ScalingHistory = { recommendations: [], added: [], removed: [] };
/** Samples as seconds ago and replicas. */
const ago = (...samples: readonly (readonly [number, number])[]): readonly Sample[] =>
  samples.map(([seconds, replicas]) => ({ atMs: nowMs - seconds * 1000, replicas }));
const pods = (value: number, periodSeconds: number) => ({ type: 'Pods', value, periodSeconds });
const percent = (value: number, periodSeconds: number) => ({ type: 'Percent', value, periodSeconds });

interface Row {
  readonly current: number;
  readonly proposed: number;
  readonly behavior?: HorizontalPodAutoscalerBehavior;
  readonly history?: Partial<ScalingHistory>;
}

describe('limitScaling', () => {
  const now: HorizontalPodAutoscalerBehavior = { scaleDown: { stabilizationWindowSeconds: 0 } };
  it.each<[string, Row, number, string, string]>([
    // name, input, size, AbleToScale, ScalingLimited
    ['within range', { current: 3, proposed: 5 }, 5, 'ReadyForNewScale', 'DesiredWithinRange'],
    ['at most twice as many', { current: 3, proposed: 9 }, 6, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['at least four', { current: 1, proposed: 9 }, 4, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['the maximum', { current: 8, proposed: 30 }, 10, 'ReadyForNewScale', 'TooManyReplicas'],
    ['the minimum', { current: 3, proposed: 1 }, 2, 'ReadyForNewScale', 'TooFewReplicas'],
    [
      'a recent larger size',
      { current: 6, proposed: 3, history: { recommendations: ago([200, 5], [400, 9]) } },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'down immediately',
      { current: 6, proposed: 3, behavior: now, history: { recommendations: ago([1, 6]) } },
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    [
      'down, waiting',
      { current: 6, proposed: 3, behavior: { scaleUp: {} }, history: { recommendations: ago([100, 5]) } },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'up, waiting',
      {
        current: 2,
        proposed: 8,
        behavior: { scaleUp: { stabilizationWindowSeconds: 60 } },
        history: { recommendations: ago([30, 3]) },
      },
      3,
      'ScaleUpStabilized',
      'DesiredWithinRange',
    ],
    [
      'up by pods',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [pods(1, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'up by pods, some of them before',
      {
        current: 4,
        proposed: 9,
        behavior: { scaleUp: { policies: [pods(2, 60)] } },
        history: { added: ago([30, 1], [90, 5]) },
      },
      5,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'up by percent, rounded up',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [percent(10, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'the larger of two rules',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [pods(1, 60), pods(3, 60)] } } },
      6,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'the smaller of two rules',
      { current: 3, proposed: 9, behavior: { scaleUp: { selectPolicy: 'Min', policies: [pods(1, 60), pods(3, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'never up',
      { current: 3, proposed: 9, behavior: { scaleUp: { selectPolicy: 'Disabled' } } },
      3,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'down by pods',
      { current: 9, proposed: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies: [pods(2, 60)] } } },
      7,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'down by percent',
      {
        current: 9,
        proposed: 3,
        behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies: [percent(50, 60)] } },
      },
      4,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'never down',
      { current: 9, proposed: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 0, selectPolicy: 'Disabled' } } },
      9,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
  ])('%s', (_name, { current, proposed, behavior, history }, size, able, limit) => {
    const bounds = { minReplicas: 2, maxReplicas: 10 };
    const input = { currentReplicas: current, proposed, ...bounds, behavior, history: { ...none, ...history }, nowMs };
    const { replicas, ableToScale, scalingLimited } = limitScaling(input);
    expect({ replicas, able: ableToScale.reason, limit: scalingLimited.reason }).toEqual({
      replicas: size,
      able,
      limit,
    });
    expect(scalingLimited.limited).toBe(limit !== 'DesiredWithinRange');
  });
});

it('forgets samples that no rule needs', () => {
  const history = { recommendations: ago([10, 1], [299, 2], [301, 3]), added: ago([10, 1], [20, 2]), removed: [] };
  const kept = trimHistory(history, { behavior: undefined, nowMs });
  expect(kept.recommendations.map(({ replicas }) => replicas)).toEqual([1, 2]);
  expect(kept.added.map(({ replicas }) => replicas)).toEqual([1]);
});
