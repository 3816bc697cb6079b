import type { HorizontalPodAutoscalerCondition } from '@kubewright/apimachinery/autoscaling/v2';
import { formatTime } from '@kubewright/apimachinery/internal';

/** Returns conditions with one set. Its time changes only with its status. */
export function withCondition(
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
