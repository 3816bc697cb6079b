import {
  type Clock,
  formatObjectKey,
  isForbidden,
  isNotFound,
  type Kind,
  type KubernetesObject,
  objectKey,
} from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor, KubernetesClient } from '@kubewright/client';
import { type Moment, momentOf, Tenure } from '../leader-election/tenure.ts';
import type { Logger } from '../log/logger.ts';
import { isBoundTo } from './bound-to-uid.ts';
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

/** What a reconcile looks at. */
interface View {
  readonly object: KubernetesObject;
  readonly kind: Kind<KubernetesObject>;
}

/** What {@link writeFence} guards. */
export interface WriteFenceOptions {
  /** Once aborted, nothing is written any more. */
  readonly signal: AbortSignal;
  /** What the reconcile looks at; undefined when there is nothing to compare. */
  readonly view: View | undefined;
  /** When the server was asked for the object, if it is its answer: as good as a look. */
  readonly askedAt?: Moment | undefined;
  /** Reads the live object; not fenced itself. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Stands between a reconcile and the API server's write verbs: what was given up can no longer write, and before the first
 * write the object is looked at live. A cache that lags must not lead to deeds; uid, generation and
 * deletion mark tell.
 *
 * The look lasts ten seconds by either clock, for a process may be stopped between the look and the write. A reconcile that
 * goes on writing for longer looks again; once it has written, for uid and deletion only: that somebody edits the object
 * meanwhile is no reason to stop half-way, the next reconcile sees it. What is asked last is asked in the tick that hands the bytes to the
 * connection.
 *
 * Writes to the object itself need no look where they carry its uid: the server compares it, and a status that says what
 * was made outside must not be lost because somebody has edited the object in the meantime. A write that goes by its name
 * alone may meet another object, and is looked out for as all others are.
 */
export function writeFence(options: WriteFenceOptions): ClientInterceptor {
  const { signal, view, clock, askedAt } = options;
  let look = askedAt && new Tenure({ clock, since: askedAt, ...lookLasts });
  let isHalfWay = false;
  let looking: Promise<void> | undefined;
  const lookAt = async (seen: View): Promise<void> => {
    const since = momentOf(clock);
    await checkLive(seen, { ...options, isHalfWay });
    look = new Tenure({ clock, since, ...lookLasts });
  };
  const check = (): void => {
    signal.throwIfAborted();
    if (view && !look?.isValid) {
      throw new StaleViewError(nameOf(view), 'the process was held up between the look at it and the write');
    }
    isHalfWay = true;
  };
  return async (call, next) => {
    if (!isWrite(call)) return next(call);
    signal.throwIfAborted();
    if (view && isOn(call, view) && isBoundTo(call, view.object.metadata.uid)) {
      return next(gated(call, () => signal.throwIfAborted()));
    }
    if (view && !look?.isValid) {
      looking ??= lookAt(view).finally(() => {
        looking = undefined;
      });
      await looking;
    }
    return next(gated(call, check));
  };
}

/** True for a write to the reconciled object, or to a subresource of it. */
function isOn({ target }: ClientCall, { object, kind }: View): boolean {
  if (!target || target.group !== kind.group || target.kind !== kind.kind) return false;
  const { name, namespace } = object.metadata;
  return target.name === name && (target.namespace ?? '') === (namespace ?? '');
}

function nameOf(view: View): string {
  return `${view.kind.kind} ${formatObjectKey(objectKey(view.object))}`;
}

async function checkLive(view: View, options: WriteFenceOptions & { readonly isHalfWay: boolean }): Promise<void> {
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
  if (generation !== seen.generation && !options.isHalfWay) {
    throw new StaleViewError(what, `its generation is ${generation}, not ${seen.generation}`);
  }
  if ((deletionTimestamp === undefined) !== (seen.deletionTimestamp === undefined)) {
    throw new StaleViewError(what, 'it is being deleted');
  }
}
