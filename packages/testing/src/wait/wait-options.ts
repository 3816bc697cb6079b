import type { Clock } from '@kubewright/apimachinery';

/**
 * Options that {@link eventually} and {@link consistently} share.
 *
 * @example
 * ```ts
 * const options: WaitOptions = { intervalMs: 100, signal: AbortSignal.timeout(30_000) };
 * await eventually(() => client.resource(Pod).get({ name: 'web-0' }), ({ status }) => status?.phase === 'Running', options);
 * ```
 */
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
