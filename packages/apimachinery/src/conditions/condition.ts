/** What an object says about one aspect of its own state (meta/v1 `Condition`). */
export interface Condition {
  /** CamelCase, unique in its list, e.g. `Ready`. */
  readonly type: string;
  readonly status: ConditionStatus;
  /** CamelCase, for programs; never empty. */
  readonly reason: string;
  /** For people; may be empty. */
  readonly message: string;
  /** When `status` last changed, RFC 3339 in seconds. */
  readonly lastTransitionTime: string;
  /** `metadata.generation` that the condition was computed for. */
  readonly observedGeneration?: number;
}

/** Whether a condition holds. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';
