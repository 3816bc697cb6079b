import {
  type Clock,
  formatObjectKey,
  isForbidden,
  isNotFound,
  type Kind,
  type KubernetesObject,
  objectKey,
} from '@kubewright/apimachinery';
import type { ClientInterceptor, KubernetesClient } from '@kubewright/client';
import { momentOf, Tenure } from '../leader-election/tenure.ts';
import type { Logger } from '../log/logger.ts';
import { gated, isWrite } from './gated.ts';

/** Thrown in place of a write when the object that a reconcile was given is not the one that is there now. */
export class StaleViewError extends Error {
  /** Names the class of failure; the runtime runs the key again by itself. */
  readonly code = 'KW3014';

  constructor(what: string, difference: string) {
    super(`refused a write for ${what}: ${difference}; the reconcile runs again with the present object`);
    this.name = 'StaleViewError';
  }
}

/** How long a look at the live object may be relied on, and how far the clocks may drift meanwhile, in milliseconds. */
const lookLasts = { renewMs: 10_000, driftMs: 2_500 };

/** What {@link writeFence} guards. */
export interface WriteFenceOptions {
  /** Once aborted, nothing is written any more. */
  readonly signal: AbortSignal;
  /** What the reconcile looks at; undefined when there is nothing to compare. */
  readonly view: { readonly object: KubernetesObject; readonly kind: Kind<KubernetesObject> } | undefined;
  /** Reads the live object; not fenced itself. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Stands between a reconcile and the API server's write verbs: what was given up can no longer write, and before the first
 * write the object is looked at live. A cache that lags must not lead to deeds; uid, generation and deletion mark tell.
 *
 * The look lasts ten seconds by either clock, for a process may be stopped between the look and the write. A reconcile that
 * goes on writing for longer looks again; what is asked last is asked in the tick that hands the bytes to the connection.
 */
export function writeFence(options: WriteFenceOptions): ClientInterceptor {
  const { signal, view, clock } = options;
  let look: Tenure | undefined;
  let looking: Promise<void> | undefined;
  const lookAt = async (seen: NonNullable<WriteFenceOptions['view']>): Promise<void> => {
    const since = momentOf(clock);
    await checkLive(seen, options);
    look = new Tenure({ clock, since, ...lookLasts });
  };
  const check = (): void => {
    signal.throwIfAborted();
    if (view && !look?.isValid) {
      throw new StaleViewError(nameOf(view), 'the process was held up between the look at it and the write');
    }
  };
  return async (call, next) => {
    if (!isWrite(call)) return next(call);
    signal.throwIfAborted();
    if (view && !look?.isValid) {
      looking ??= lookAt(view).finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return next(gated(call, check));
  };
}

function nameOf(view: NonNullable<WriteFenceOptions['view']>): string {
  return `${view.kind.kind} ${formatObjectKey(objectKey(view.object))}`;
}

async function checkLive(view: NonNullable<WriteFenceOptions['view']>, options: WriteFenceOptions): Promise<void> {
  const { object, kind } = view;
  const key = objectKey(object);
  const what = nameOf(view);
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
