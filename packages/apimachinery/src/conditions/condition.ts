/** The state of one aspect of an object (meta/v1 `Condition`). */
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

/** Status of a condition. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';
