import {
  formatObjectKey,
  isForbidden,
  isNotFound,
  type Kind,
  type KubernetesObject,
  objectKey,
} from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor, KubernetesClient } from '@kubewright/client';
import type { Logger } from '../log/logger.ts';

/** Thrown in place of a write when the object that a reconcile was given is not the one that is there now. */
export class StaleViewError extends Error {
  /** Names the class of failure; the runtime runs the key again by itself. */
  readonly code = 'KW3014';

  constructor(what: string, difference: string) {
    super(`refused the first write for ${what}: ${difference}; the reconcile runs again with the present object`);
    this.name = 'StaleViewError';
  }
}

/** What {@link writeFence} guards. */
export interface WriteFenceOptions {
  /** Once aborted, nothing is written any more. */
  readonly signal: AbortSignal;
  /** What the reconcile looks at; undefined when there is nothing to compare. */
  readonly view: { readonly object: KubernetesObject; readonly kind: Kind<KubernetesObject> } | undefined;
  /** Reads the live object; not fenced itself. */
  readonly client: KubernetesClient;
  readonly log: Logger;
}

/**
 * Stands between a reconcile and the API server's write verbs: what was given up can no longer write, and before the first
 * write the object is looked at live, once. A cache that lags must not lead to deeds; uid, generation and deletion mark tell.
 */
export function writeFence(options: WriteFenceOptions): ClientInterceptor {
  let checked: Promise<void> | undefined;
  return async (call, next) => {
    if (!isWrite(call)) return next(call);
    options.signal.throwIfAborted();
    if (options.view) {
      checked ??= checkLive(options.view, options).catch((error: unknown) => {
        // A server that was out of reach said nothing about the object: the next write asks again.
        if (!(error instanceof StaleViewError)) checked = undefined;
        throw error;
      });
      await checked;
      options.signal.throwIfAborted();
    }
    return next(call);
  };
}

/** True for calls that may change something. */
export function isWrite(call: ClientCall): boolean {
  return call.request.method !== 'GET' && call.request.method !== 'HEAD';
}

async function checkLive(view: NonNullable<WriteFenceOptions['view']>, options: WriteFenceOptions): Promise<void> {
  const { object, kind } = view;
  const key = objectKey(object);
  const what = `${kind.kind} ${formatObjectKey(key)}`;
  let live: KubernetesObject;
  try {
    live = await options.client.metadata(kind).get(key, { signal: options.signal });
  } catch (error) {
    if (isNotFound(error)) throw new StaleViewError(what, 'it is gone');
    if (!isForbidden(error)) throw error;
    // The server's preconditions still guard; to stop an operator for a missing "get" would be worse than the risk.
    options.log.info('writing without a look at the live object; grant get on it', { kind: kind.kind });
    return;
  }
  const { uid, generation, deletionTimestamp } = live.metadata;
  const seen = object.metadata;
  if (uid !== seen.uid) throw new StaleViewError(what, 'it was replaced by another of the same name');
  if (generation !== seen.generation) {
    throw new StaleViewError(what, `its generation is ${generation}, not ${seen.generation}`);
  }
  if ((deletionTimestamp === undefined) !== (seen.deletionTimestamp === undefined)) {
    throw new StaleViewError(what, 'it is being deleted');
  }
}
