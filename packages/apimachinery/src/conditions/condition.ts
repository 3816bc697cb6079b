/**
 * The state of one aspect of an object (meta/v1 `Condition`).
 *
 * @example
 * ```ts
 * const ready: Condition = {
 *   type: 'Ready',
 *   status: 'True',
 *   reason: 'Available',
 *   message: 'all replicas are up',
 *   lastTransitionTime: '2026-01-31T12:00:00Z',
 * };
 * ```
 */
export interface Condition {
  /** CamelCase, unique in its list, e.g. `Ready`. */
  readonly type: string;
  readonly status: ConditionStatus;
  /** Machine-readable, CamelCase; never empty. */
  readonly reason: string;
  /** Human-readable; may be empty. */
  readonly message: string;
  /** Time of the last change of `status`, RFC 3339 with whole seconds. */
  readonly lastTransitionTime: string;
  /** `metadata.generation` that the condition was computed for. */
  readonly observedGeneration?: number;
}

/** The status of a condition. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';
