export type { Condition, ConditionStatus } from './condition.ts';
