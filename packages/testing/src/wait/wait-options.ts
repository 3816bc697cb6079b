import type { Clock } from '@kubewright/apimachinery';

/** Settings that `eventually` and `consistently` share. */
export interface WaitOptions {
  /** Time between two reads, in milliseconds. @defaultValue 20 */
  readonly intervalMs?: number;
  /** Ends the wait; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** @defaultValue the system clock */
  readonly clock?: Clock;
  /**
   * Log lines, the last 20 of which end the error message. The methods of a `TestOperator` pass the operator's log.
   * @defaultValue none
   */
  readonly log?: readonly string[];
}

/** The default of {@link WaitOptions.intervalMs}. */
export const defaultIntervalMs = 20;
