import type { Clock, Stored } from '@kubewright/apimachinery';
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from '@kubewright/apimachinery/autoscaling/v2';
import { formatTime } from '@kubewright/apimachinery/internal';

/** The replica counts and metrics that an autoscaler reports. */
interface AutoscalerSizes {
  readonly current: number;
  readonly desired: number;
  readonly metrics: readonly MetricStatus[];
}

/** Collects the new status of an autoscaler during its reconcile. */
export class AutoscalerStatus {
  readonly #clock: Clock;
  #value: HorizontalPodAutoscalerStatus;

  constructor(autoscaler: Stored<HorizontalPodAutoscaler>, clock: Clock) {
    this.#clock = clock;
    this.#value = autoscaler.status ?? { desiredReplicas: 0 };
  }

  get value(): HorizontalPodAutoscalerStatus {
    return this.#value;
  }

  /** Sets a condition. */
  set(type: string, { ok, ...why }: { readonly ok: boolean; readonly reason: string; readonly message: string }): void {
    const nowMs = this.#clock.now();
    const next = { type, status: ok ? 'True' : 'False', ...why };
    this.#value = { ...this.#value, conditions: withCondition(this.#value.conditions ?? [], next, nowMs) };
  }

  /** Sets the replica counts and the metrics. */
  setSizes({ current, desired, metrics }: AutoscalerSizes): void {
    const { currentReplicas: _current, currentMetrics: _metrics, ...rest } = this.#value;
    this.#value = {
      ...rest,
      ...(current > 0 && { currentReplicas: current }),
      desiredReplicas: desired,
      ...(metrics.length > 0 && { currentMetrics: metrics }),
    };
  }

  /** Sets the last scale time to now. */
  setScaled(): void {
    this.#value = { ...this.#value, lastScaleTime: formatTime(this.#clock.now()) };
  }
}

/**
 * Returns the conditions with one condition set. The condition's transition time changes only if its status changes.
 */
function withCondition(
  conditions: readonly HorizontalPodAutoscalerCondition[],
  next: Omit<HorizontalPodAutoscalerCondition, 'lastTransitionTime'>,
  nowMs: number,
): readonly HorizontalPodAutoscalerCondition[] {
  const present = conditions.find(({ type }) => type === next.type);
  const lastTransitionTime =
    present?.status === next.status && present.lastTransitionTime ? present.lastTransitionTime : formatTime(nowMs);
  const condition = { ...next, lastTransitionTime };
  return present ? conditions.map((each) => (each === present ? condition : each)) : [...conditions, condition];
}
