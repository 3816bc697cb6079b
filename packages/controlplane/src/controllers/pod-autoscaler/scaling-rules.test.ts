import type { HorizontalPodAutoscalerBehavior } from '@kubewright/apimachinery/autoscaling/v2';
import { describe, expect, it } from 'vitest';
import { limitScaling, type Sample, type ScalingHistory, trimHistory } from './scaling-rules.ts';

const nowMs = 1_000_000;
const none: ScalingHistory = { recommendations: [], added: [], removed: [] };
/** Builds samples from pairs of seconds ago and replicas. */
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
    // Columns: name, input, replicas, reason of AbleToScale, reason of ScalingLimited.
    ['accepts a size within the limits', { current: 3, proposed: 5 }, 5, 'ReadyForNewScale', 'DesiredWithinRange'],
    ['at most doubles the size by default', { current: 3, proposed: 9 }, 6, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['allows up to four replicas by default', { current: 1, proposed: 9 }, 4, 'ReadyForNewScale', 'ScaleUpLimit'],
    ['limits the size to the maximum', { current: 8, proposed: 30 }, 10, 'ReadyForNewScale', 'TooManyReplicas'],
    ['limits the size to the minimum', { current: 3, proposed: 1 }, 2, 'ReadyForNewScale', 'TooFewReplicas'],
    [
      'keeps the highest recent recommendation by default',
      { current: 6, proposed: 3, history: { recommendations: ago([200, 5], [400, 9]) } },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'scales down immediately without a stabilization window',
      { current: 6, proposed: 3, behavior: now, history: { recommendations: ago([1, 6]) } },
      3,
      'ReadyForNewScale',
      'DesiredWithinRange',
    ],
    [
      'scales down to the highest recommendation in the stabilization window',
      { current: 6, proposed: 3, behavior: { scaleUp: {} }, history: { recommendations: ago([100, 5]) } },
      5,
      'ScaleDownStabilized',
      'DesiredWithinRange',
    ],
    [
      'scales up to the lowest recommendation in the stabilization window',
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
      'scales up by a number of pods',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [pods(1, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'counts pods that were added earlier in the period',
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
      'scales up by a percentage, rounded up',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [percent(10, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'applies the policy that allows the larger change by default',
      { current: 3, proposed: 9, behavior: { scaleUp: { policies: [pods(1, 60), pods(3, 60)] } } },
      6,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'applies the policy that allows the smaller change with selectPolicy Min',
      { current: 3, proposed: 9, behavior: { scaleUp: { selectPolicy: 'Min', policies: [pods(1, 60), pods(3, 60)] } } },
      4,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'does not scale up if that is disabled',
      { current: 3, proposed: 9, behavior: { scaleUp: { selectPolicy: 'Disabled' } } },
      3,
      'ReadyForNewScale',
      'ScaleUpLimit',
    ],
    [
      'scales down by a number of pods',
      { current: 9, proposed: 3, behavior: { scaleDown: { stabilizationWindowSeconds: 0, policies: [pods(2, 60)] } } },
      7,
      'ReadyForNewScale',
      'ScaleDownLimit',
    ],
    [
      'scales down by a percentage',
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
      'does not scale down if that is disabled',
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

it('drops samples that no rule considers any longer', () => {
  const history = { recommendations: ago([10, 1], [299, 2], [301, 3]), added: ago([10, 1], [20, 2]), removed: [] };
  const kept = trimHistory(history, { behavior: undefined, nowMs });
  expect(kept.recommendations.map(({ replicas }) => replicas)).toEqual([1, 2]);
  expect(kept.added.map(({ replicas }) => replicas)).toEqual([1]);
});
