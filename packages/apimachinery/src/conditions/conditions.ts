import type { Clock } from '../clock/clock.ts';
import type { Condition, ConditionStatus } from './condition.ts';

/**
 * The new state of one condition; {@link setCondition} fills in the transition time.
 *
 * @example
 * ```ts
 * const failed = (error: Error): ConditionUpdate => ({
 *   type: 'Ready',
 *   status: 'False',
 *   reason: 'BackupFailed',
 *   message: error.message,
 * });
 * ```
 */
export interface ConditionUpdate {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

/** The fields that the conditions of all built-in kinds share. */
export interface ConditionLike {
  readonly type: string;
  readonly status: string;
}

/**
 * Returns the list with one condition replaced, or appended if its type is new. `lastTransitionTime` changes only when
 * `status` changes. Returns the same list if nothing changes, so a caller can compare lists by identity. Mirrors
 * `meta.SetStatusCondition`.
 *
 * @example
 * ```ts
 * const conditions = setCondition(status.conditions, { type: 'Ready', status: 'True', reason: 'Started', message: '' }, systemClock);
 * ```
 */
export function setCondition(
  conditions: readonly Condition[] | undefined,
  update: ConditionUpdate,
  clock: Clock,
): readonly Condition[] {
  const list = conditions ?? [];
  const index = list.findIndex((condition) => condition.type === update.type);
  const old = list[index];
  const next: Condition = {
    type: update.type,
    status: update.status,
    ...observed(update.observedGeneration ?? old?.observedGeneration),
    lastTransitionTime: old?.status === update.status ? old.lastTransitionTime : formatTime(clock.now()),
    reason: update.reason,
    message: update.message ?? '',
  };
  if (old === undefined) return [...list, next];
  return same(old, next) ? list : list.map((condition, at) => (at === index ? next : condition));
}

/**
 * Returns the list without the condition of a type; the same list if it has no condition of that type.
 *
 * @example
 * ```ts
 * const conditions = removeCondition(status.conditions, 'Degraded');
 * ```
 */
export function removeCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): readonly C[] {
  const list = conditions ?? [];
  return list.some((condition) => condition.type === type) ? list.filter((condition) => condition.type !== type) : list;
}

/**
 * Finds the condition of a type.
 *
 * @example
 * ```ts
 * const ready = findCondition(pod.status?.conditions, 'Ready');
 * ```
 */
export function findCondition<C extends ConditionLike>(
  conditions: readonly C[] | undefined,
  type: string,
): C | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/**
 * True if the condition is present and its status is `True`.
 *
 * @example
 * ```ts
 * const ready = isConditionTrue(pod.status?.conditions, 'Ready');
 * ```
 */
export function isConditionTrue(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'True';
}

/**
 * True if the condition is present and its status is `False`; an `Unknown` or absent condition is not false.
 *
 * @example
 * ```ts
 * const failed = isConditionFalse(pod.status?.conditions, 'Ready');
 * ```
 */
export function isConditionFalse(conditions: readonly ConditionLike[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === 'False';
}

/** Formats a time as the API does (meta/v1 `Time`): RFC 3339 in UTC, whole seconds. */
export function formatTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function observed(generation: number | undefined): { readonly observedGeneration?: number } {
  return generation === undefined ? {} : { observedGeneration: generation };
}

function same(a: Condition, b: Condition): boolean {
  return (
    a.status === b.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.observedGeneration === b.observedGeneration &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}
