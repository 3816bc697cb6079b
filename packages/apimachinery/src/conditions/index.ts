export type { Condition, ConditionStatus } from './condition.ts';
export {
  type ConditionLike,
  type ConditionUpdate,
  findCondition,
  formatMicroTime,
  formatTime,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions.ts';
