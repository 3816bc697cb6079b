/** The reason why the node ended a pod. */
export interface PodFailure {
  readonly reason: string;
  readonly message: string;
}

/** The reason why a pod ends on this node. */
export type PodEnding =
  /** Marked for deletion in the API. */
  | { readonly type: 'deleted' }
  /** Deleted from the API, or the agent is stopping: the pod gets no grace period. */
  | { readonly type: 'orphaned' }
  /** The pod's containers have ended for good. */
  | { readonly type: 'finished' }
  /** Not admitted by this node. */
  | { readonly type: 'rejected'; readonly failure: PodFailure }
  /** Evicted, or active for too long. */
  | { readonly type: 'failed'; readonly failure: PodFailure };

/** The state of a pod on this node, as in the kubelet's pod workers. The state only moves forward. */
export type PodState =
  /** Not admitted yet. */
  | { readonly type: 'new' }
  /** The pod's containers are started and restarted. */
  | { readonly type: 'syncing' }
  /** The pod's containers are stopped; nothing is restarted. */
  | { readonly type: 'terminating'; readonly ending: PodEnding }
  /** None of the pod's containers run or will run. */
  | { readonly type: 'terminated'; readonly ending: PodEnding }
  /** The pod had already finished when this agent first saw it: its status is left unchanged. */
  | { readonly type: 'restored'; readonly ending: PodEnding };

/** Returns why the pod ends; undefined for a pod that should run. */
export function endingOf(state: PodState): PodEnding | undefined {
  return 'ending' in state ? state.ending : undefined;
}

/** Returns the failure that ends the pod, if any. */
export function failureOf(state: PodState): PodFailure | undefined {
  const ending = endingOf(state);
  return ending && 'failure' in ending ? ending.failure : undefined;
}

/**
 * Returns the state of a pod that must end for the given reason. A pod that is already ending keeps its state and gets the new
 * reason.
 */
export function withEnding(state: PodState, ending: PodEnding): PodState {
  return 'ending' in state ? { ...state, ending } : { type: 'terminating', ending };
}
