import {
  type Clock,
  formatObjectKey,
  isForbidden,
  isNotFound,
  type Kind,
  type KubernetesObject,
  KubewrightError,
  objectKey,
} from '@kubewright/apimachinery';
import type { ClientCall, ClientInterceptor, KubernetesClient } from '@kubewright/client';
import { logEvents } from '../log/log-events.ts';
import type { Logger } from '../log/logger.ts';
import { gated, isWrite } from './gated.ts';
import { type Instant, instantOf, LeaseTerm } from './lease-term.ts';

/** Thrown for a rejected write: the live object differs from the object that the reconcile was given. */
export class StaleViewError extends KubewrightError {
  override readonly name = 'StaleViewError';
  /** The runtime reconciles the key again. */
  readonly code = 'KW3014';

  constructor(object: string, difference: string) {
    super({
      what: `rejected a write while reconciling ${object}`,
      why: `${difference}; the reconcile runs again with the current object`,
    });
  }
}

/**
 * How long a live check of the object stays valid, and how far the clocks may drift during this time, in milliseconds.
 */
const lookLasts = { renewMs: 10_000, driftMs: 2_500 };

/** The object a reconcile is based on. */
interface View {
  readonly object: KubernetesObject;
  readonly kind: Kind<KubernetesObject>;
}

/** Options for {@link writeFence}. */
export interface WriteFenceOptions {
  /** Once this signal is aborted, no more writes are sent. */
  readonly signal: AbortSignal;
  /** The object the reconcile is based on; undefined if there is nothing to compare. */
  readonly view: View | undefined;
  /** Time of the query if the object was read from the server, which counts as a live check. */
  readonly readAt?: Instant | undefined;
  /** Client that reads the live object; not fenced itself. */
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Guards a reconcile's writes: an abandoned reconcile can no longer write, and before the first write the live object is checked,
 * so that a lagging cache causes no wrong writes. Compares UID, generation and deletion timestamp.
 *
 * A check is valid for ten seconds by either clock, because the process may be suspended between the check and the
 * write. If a reconcile keeps writing for longer, the object is checked again. After its first write, only UID and
 * deletion are compared: an edit in the meantime should not stop the reconcile halfway, because the next reconcile sees
 * the edit. The final check runs in the tick in which the connection receives the bytes.
 *
 * Writes to the object itself need no check if they carry its UID, because the server compares the UID, and a status
 * that records external resources must not be lost to a concurrent edit. A write that identifies the object only by
 * name may hit another object, so it is checked like all others.
 */
export function writeFence(options: WriteFenceOptions): ClientInterceptor {
  const { signal, view, clock, readAt } = options;
  let look = readAt && new LeaseTerm({ clock, since: readAt, ...lookLasts });
  let isHalfWay = false;
  let looking: Promise<void> | undefined;
  const lookAt = async (seen: View): Promise<void> => {
    const since = instantOf(clock);
    await checkLive(seen, { ...options, isHalfWay });
    look = new LeaseTerm({ clock, since, ...lookLasts });
  };
  const check = (): void => {
    signal.throwIfAborted();
    if (view && !look?.isValid) {
      throw new StaleViewError(nameOf(view), 'the process was paused after it read the object');
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

/** Reports whether the call targets the reconciled object or one of its subresources. */
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
    if (isNotFound(error)) throw new StaleViewError(what, 'the object was deleted');
    if (!isForbidden(error)) throw error;
    // Without a check, the server's preconditions still apply; stopping an operator because it lacks the "get"
    // permission would be worse than the risk.
    options.log.info(
      'writes are sent without a check of the live object; grant the operator the verb get for this kind',
      {
        event: logEvents.writeUnchecked,
        kind: kind.kind,
      },
    );
    return;
  }
  const { uid, generation, deletionTimestamp } = live.metadata;
  const seen = object.metadata;
  if (uid !== seen.uid) throw new StaleViewError(what, 'the object was replaced by another one of the same name');
  if (generation !== seen.generation && !options.isHalfWay) {
    throw new StaleViewError(what, `the object is at generation ${generation}, not ${seen.generation}`);
  }
  if ((deletionTimestamp === undefined) !== (seen.deletionTimestamp === undefined)) {
    throw new StaleViewError(what, 'the object is being deleted');
  }
}

/** The methods for which the server compares the UID in a request; for other methods, the UID is only a value. */
const comparing: ReadonlySet<string> = new Set(['PUT', 'PATCH', 'DELETE']);

/**
 * Reports whether a write carries the UID of its object, so the server rejects it for another object of the same name.
 */
function isBoundTo({ request: { method, body } }: ClientCall, uid: string | undefined): boolean {
  if (uid === undefined || body === undefined || !comparing.has(method)) return false;
  const sent: unknown = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
  if (Array.isArray(sent)) return sent.some((operation) => testsUid(operation, uid));
  return (method === 'DELETE' ? uidIn(sent, 'preconditions') : uidIn(sent, 'metadata')) === uid;
}

/** Reports whether a JSON patch operation tests the UID; the whole patch fails if the test fails. */
function testsUid(operation: unknown, uid: string): boolean {
  if (!isObject(operation)) return false;
  return operation['op'] === 'test' && operation['path'] === '/metadata/uid' && operation['value'] === uid;
}

function uidIn(sent: unknown, member: 'metadata' | 'preconditions'): unknown {
  const part = isObject(sent) ? sent[member] : undefined;
  return isObject(part) ? part['uid'] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
