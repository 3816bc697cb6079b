import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from '@kubewright/apimachinery/autoscaling/v2';

/** A number of replicas at a time on the monotonic clock. */
export interface Sample {
  readonly atMs: number;
  readonly replicas: number;
}

/** The earlier decisions of an autoscaler. */
export interface ScalingHistory {
  readonly recommendations: readonly Sample[];
  /** The replicas that were added by each scale-up, and removed by each scale-down. */
  readonly added: readonly Sample[];
  readonly removed: readonly Sample[];
}

/** Input for {@link limitScaling}. */
export interface ScalingInput {
  readonly currentReplicas: number;
  /** The number of replicas that the metrics propose. */
  readonly proposed: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly behavior: HorizontalPodAutoscalerBehavior | undefined;
  readonly history: ScalingHistory;
  readonly nowMs: number;
}

/** The reason and message of a condition. */
export interface Explanation {
  readonly reason: string;
  readonly message: string;
}

/** The number of replicas within the limits, and the explanations for the autoscaler's conditions. */
export interface LimitedSize {
  readonly replicas: number;
  readonly ableToScale: Explanation;
  readonly scalingLimited: Explanation & { readonly limited: boolean };
}

/** The default scale-down stabilization window: pods are removed only as far as all recommendations within this time allow. */
const downWindowSeconds = 300;
const defaultUp: Required<Omit<HPAScalingRules, 'tolerance'>> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const defaultDown: Required<Omit<HPAScalingRules, 'tolerance'>> = {
  stabilizationWindowSeconds: downWindowSeconds,
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};
const within = { reason: 'DesiredWithinRange', message: 'the desired count is within the acceptable range' };
const tooMany = {
  reason: 'TooManyReplicas',
  message: 'the desired replica count is more than the maximum replica count',
};
const tooFew = {
  reason: 'TooFewReplicas',
  message: 'the desired replica count is less than the minimum replica count',
};
const upTooFast = {
  reason: 'ScaleUpLimit',
  message: 'the desired replica count is increasing faster than the maximum scale rate',
};
const downTooFast = {
  reason: 'ScaleDownLimit',
  message: 'the desired replica count is decreasing faster than the maximum scale rate',
};
const ready = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
const downStabilized = {
  reason: 'ScaleDownStabilized',
  message: 'recent recommendations were higher than current one, applying the highest recent recommendation',
};
const upStabilized = {
  reason: 'ScaleUpStabilized',
  message: 'recent recommendations were lower than current one, applying the lowest recent recommendation',
};

/** Stabilizes a proposed number of replicas and applies the autoscaler's limits. Mirrors `normalizeDesiredReplicas*` (1.36). */
export function limitScaling(input: ScalingInput): LimitedSize {
  const { proposed, currentReplicas, behavior } = input;
  const stable = behavior ? stabilized(input) : stabilizedByDefault(input);
  const why = !behavior || proposed < currentReplicas ? downStabilized : upStabilized;
  const { replicas, limit } = behavior ? limitedByRules(input, stable) : limitedByDefault(input, stable);
  const limited = replicas !== stable;
  return { replicas, ableToScale: stable === proposed ? ready : why, scalingLimited: { ...limit, limited } };
}

/** Returns the history without the samples that no rule considers any longer. */
export function trimHistory(
  { recommendations, added, removed }: ScalingHistory,
  { behavior, nowMs }: Pick<ScalingInput, 'behavior' | 'nowMs'>,
): ScalingHistory {
  const { up, down } = rulesOf(behavior);
  const window = Math.max(up.stabilizationWindowSeconds, down.stabilizationWindowSeconds, downWindowSeconds);
  const period = Math.max(...[...up.policies, ...down.policies].map(({ periodSeconds }) => periodSeconds));
  const since = (samples: readonly Sample[], seconds: number): readonly Sample[] =>
    samples.filter(({ atMs }) => atMs >= nowMs - seconds * 1000);
  return {
    recommendations: since(recommendations, window),
    added: since(added, period),
    removed: since(removed, period),
  };
}

function rulesOf(behavior: HorizontalPodAutoscalerBehavior | undefined): {
  readonly up: typeof defaultUp;
  readonly down: typeof defaultDown;
} {
  return { up: { ...defaultUp, ...behavior?.scaleUp }, down: { ...defaultDown, ...behavior?.scaleDown } };
}

function stabilizedByDefault({ proposed, history, nowMs }: ScalingInput): number {
  const recent = history.recommendations.filter(({ atMs }) => atMs >= nowMs - downWindowSeconds * 1000);
  return Math.max(proposed, ...recent.map(({ replicas }) => replicas));
}

/** Changes the number of replicas only as far as all recent recommendations agree. */
function stabilized({ proposed, currentReplicas, history, behavior, nowMs }: ScalingInput): number {
  const { up, down } = rulesOf(behavior);
  const recent = (seconds: number): readonly number[] =>
    history.recommendations.filter(({ atMs }) => atMs > nowMs - seconds * 1000).map(({ replicas }) => replicas);
  const lowest = Math.min(proposed, ...recent(up.stabilizationWindowSeconds));
  const highest = Math.max(proposed, ...recent(down.stabilizationWindowSeconds));
  return Math.min(Math.max(currentReplicas, lowest), highest);
}

function limitedByDefault(
  { currentReplicas, minReplicas, maxReplicas }: ScalingInput,
  wanted: number,
): { readonly replicas: number; readonly limit: Explanation } {
  const fastest = Math.max(2 * currentReplicas, 4);
  const max = Math.min(maxReplicas, fastest);
  if (wanted < minReplicas) return { replicas: minReplicas, limit: tooFew };
  if (wanted > max) return { replicas: max, limit: maxReplicas > fastest ? upTooFast : tooMany };
  return { replicas: wanted, limit: within };
}

function limitedByRules(
  input: ScalingInput,
  wanted: number,
): { readonly replicas: number; readonly limit: Explanation } {
  const { currentReplicas, minReplicas, maxReplicas } = input;
  if (wanted > currentReplicas) {
    const fastest = Math.max(currentReplicas, fastestUp(input));
    const max = Math.min(maxReplicas, fastest);
    if (wanted > max) return { replicas: max, limit: maxReplicas > fastest ? upTooFast : tooMany };
  } else if (wanted < currentReplicas) {
    const fastest = Math.min(currentReplicas, fastestDown(input));
    const least = Math.max(minReplicas, fastest);
    if (wanted < least) return { replicas: least, limit: minReplicas < fastest ? downTooFast : tooFew };
  }
  return { replicas: wanted, limit: within };
}

function fastestUp(input: ScalingInput): number {
  const { up } = rulesOf(input.behavior);
  if (up.selectPolicy === 'Disabled') return input.currentReplicas;
  const sizes = up.policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(input, periodSeconds);
    return type === 'Pods' ? start + value : Math.ceil(start * (1 + value / 100));
  });
  return up.selectPolicy === 'Min' ? Math.min(...sizes) : Math.max(...sizes);
}

function fastestDown(input: ScalingInput): number {
  const { down } = rulesOf(input.behavior);
  if (down.selectPolicy === 'Disabled') return input.currentReplicas;
  const sizes = down.policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(input, periodSeconds);
    return type === 'Pods' ? start - value : Math.trunc(start * (1 - value / 100));
  });
  return down.selectPolicy === 'Min' ? Math.max(...sizes) : Math.min(...sizes);
}

/** Returns the number of replicas at the start of a period. */
function sizeAtStart({ currentReplicas, history, nowMs }: ScalingInput, periodSeconds: number): number {
  const sum = (samples: readonly Sample[]): number =>
    samples
      .filter(({ atMs }) => atMs > nowMs - periodSeconds * 1000)
      .reduce((total, { replicas }) => total + replicas, 0);
  return currentReplicas - sum(history.added) + sum(history.removed);
}
