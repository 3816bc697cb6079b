/**
 * The kind of a rejection. Evicting other pods may resolve an `Unschedulable` rejection, but never an
 * `UnschedulableAndUnresolvable` rejection.
 */
export type RejectionCode = 'Unschedulable' | 'UnschedulableAndUnresolvable';

/** A plugin's rejection of a pod, on one node or on all nodes. */
export interface Rejection {
  /** The name of the plugin; its event hints determine when the pod is retried. */
  readonly plugin: string;
  readonly code: RejectionCode;
  readonly reasons: readonly string[];
}

/** Returns a rejection that evicting other pods may resolve. */
export function unschedulable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { plugin, code: 'Unschedulable', reasons };
}

/** Returns a rejection that evicting other pods cannot resolve. */
export function unresolvable(plugin: string, ...reasons: readonly string[]): Rejection {
  return { plugin, code: 'UnschedulableAndUnresolvable', reasons };
}
