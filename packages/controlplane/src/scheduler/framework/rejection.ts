/**
 * How a plugin rejects a pod: `Unschedulable` may change when other pods are evicted, `UnschedulableAndUnresolvable` does not.
 */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable';

/** The result of a plugin that rejects a pod on one node, or on all. */
export interface Rejection {
  /** Name of the plugin; its events determine when the pod is retried. */
  readonly plugin: string;
  readonly code: RejectionCode;
  readonly reasons: readonly string[];
}

/** Returns a rejection that evictions may resolve. */
export function unschedulable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { plugin, code: 'Unschedulable', reasons };
}

/** Returns a rejection that no eviction resolves. */
export function unresolvable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { plugin, code: 'UnschedulableAndUnresolvable', reasons };
}
