import {
  type Clock,
  isNotFound,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  type Random,
  type Stored,
  seededRandom,
  VirtualClock,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import { KindNotServedError } from '../cache/cache-errors.ts';
import { asCachedKind } from '../cache/cached-kind.ts';
import { ControllerLoop } from '../controller/controller-loop.ts';
import type { ControllerDefinition } from '../controller/definition/controller-definition.ts';
import type { Logger } from '../log/logger.ts';
import { silentLogger } from '../log/silent-logger.ts';
import { type ManagerParts, makeParts } from '../manager/manager-parts.ts';
import type { ReconcileOutcome, ReconcileResult } from '../reconcile/reconcile.ts';
import type { EventNote } from '../recorder/event-recorder.ts';
import { type RecordedWrite, recordingWrites } from './recorded-writes.ts';

/** Options for {@link reconcileKey}. */
export interface ReconcileKeyOptions {
  /** Client of the cluster, such as a test environment's client. Not disposed. */
  readonly client: KubernetesClient;
  /**
   * Clock for `ctx.clock`. The cluster has a separate clock.
   * @defaultValue a `VirtualClock` that starts at 2026-01-01
   */
  readonly clock?: Clock;
  /** Random source for `ctx.random`. @defaultValue seeded with 1, so that every run is the same */
  readonly random?: Random;
  /** @defaultValue none */
  readonly log?: Logger;
  /** Cancels the reconcile. */
  readonly signal?: AbortSignal;
}

/** The outcome of one reconcile. */
export interface KeyReport<T extends KubernetesObject> {
  /** The function's result; empty if it returned nothing. */
  readonly result: ReconcileResult;
  /** The accepted writes, in order. Writes that would change nothing are not sent, so they do not appear. */
  readonly writes: readonly RecordedWrite[];
  /** The events that the function recorded. They are not written to the cluster. */
  readonly events: readonly EventNote[];
  /** The object after the reconcile; undefined if it does not exist, and for request controllers. */
  readonly object: Stored<T> | undefined;
}

/**
 * Reconciles one object once, without a manager: reads it from a cache, runs the controller's function with a real
 * context (finalizers, `desired`, fences and own writes included) and reports the outcome. Nothing is watched or
 * retried afterwards. The keys of a sharded controller are reconciled as on the replica that owns them. `reconcileOnce`
 * of `@kubewright/testing` is built on this function.
 *
 * @param definition - the controller.
 * @param of - the object or its key; an object that is not stored yet is created first.
 * @throws the error of the reconcile function, unchanged.
 * @throws KindNotServedError (KW3016) if the server does not serve a kind that the controller needs.
 */
export async function reconcileKey<T extends KubernetesObject>(
  definition: ControllerDefinition,
  of: T | ObjectKey,
  options: ReconcileKeyOptions,
): Promise<KeyReport<T>> {
  const { client, clock = new VirtualClock(), random = seededRandom(1), log = silentLogger } = options;
  const { primary } = definition;
  const { namespace, name } = await requestFor(of, { client, primary });
  const parts = makeParts(client, { options: {}, controllers: [definition], clock, random, log });
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(options.signal?.reason);
  if (options.signal?.aborted) onAbort();
  options.signal?.addEventListener('abort', onAbort, { once: true });
  const caching = parts.cache.run(stop.signal);
  const writes: RecordedWrite[] = [];
  const events: EventNote[] = [];
  try {
    await filled(parts, { definition, signal: stop.signal });
    const result = await runOnce(definition, {
      parts: { ...parts, clock, random, log },
      key: namespace === undefined ? name : `${namespace}/${name}`,
      signal: stop.signal,
      writes,
      events,
    });
    const key = namespace === undefined ? { name } : { namespace, name };
    const object =
      primary && definition.run.level === 'object' ? await found(client, { kind: primary, key }) : undefined;
    // The cast is safe: the object is of the controller's kind.
    return { result: result ?? {}, writes, events, object: object as Stored<T> | undefined };
  } finally {
    options.signal?.removeEventListener('abort', onAbort);
    stop.abort();
    await caching;
  }
}

async function requestFor(
  of: KubernetesObject | ObjectKey,
  { client, primary }: { readonly client: KubernetesClient; readonly primary: Kind<KubernetesObject> | undefined },
): Promise<{ readonly namespace: string | undefined; readonly name: string }> {
  const isObject = 'metadata' in of;
  const { name = '', namespace } = isObject ? of.metadata : of;
  if (primary?.scope === 'Cluster') return { namespace: undefined, name: await stored(name) };
  return { namespace: namespace ?? (primary && client.defaultNamespace), name: await stored(name) };

  async function stored(given: string): Promise<string> {
    if (!isObject || of.metadata.uid !== undefined || !primary) return given;
    return (await client.resource(primary).create(of)).metadata.name;
  }
}

/** Waits until the caches that the controller reads contain the server's current objects. */
async function filled(
  { cache }: ManagerParts,
  { definition, signal }: { readonly definition: ControllerDefinition; readonly signal: AbortSignal },
): Promise<void> {
  const { watches, caches = [] } = definition;
  const declared = [...watches.map((watch) => watch.cached), ...caches.map(asCachedKind)].map((each) =>
    cache.declare(each),
  );
  await Promise.all(declared.map((each) => each.waitUntilKnown(signal)));
  const missing = declared.find((each) => each.isMissing);
  if (missing) throw new KindNotServedError(missing.kind);
  await Promise.all(declared.map((each) => each.waitForSync(signal)));
}

/** Passes one key through a controller's loop and returns the outcome, as on the replica that owns the key. */
async function runOnce(
  { partition: _partition, ...definition }: ControllerDefinition,
  run: {
    readonly parts: Omit<ManagerParts, 'recorder'> & {
      readonly clock: Clock;
      readonly random: Random;
      readonly log: Logger;
    };
    readonly key: string;
    readonly signal: AbortSignal;
    readonly writes: RecordedWrite[];
    readonly events: EventNote[];
  },
): Promise<ReconcileOutcome> {
  const { key, signal, writes, events } = run;
  let settle: { readonly resolve: (outcome: ReconcileOutcome) => void; readonly reject: (error: unknown) => void };
  const ended = new Promise<ReconcileOutcome>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const loop = new ControllerLoop(
    { ...definition, maxConcurrentReconciles: 1 },
    {
      ...run.parts,
      recorder: () => ({ record: (event) => void events.push(event) }),
      // The tracing hook surrounds the whole reconcile, so it observes the outcome and every call.
      tracing: {
        reconcile: (_attributes, reconcile) => {
          const outcome = reconcile(recordingWrites(writes), { setAttribute: () => {} });
          outcome.then((value) => settle.resolve(value as ReconcileOutcome), settle.reject);
          return outcome;
        },
      },
    },
  );
  const cancel = (): void => {
    void loop.stop({ deadline: signal });
    settle.reject(signal.reason);
  };
  signal.addEventListener('abort', cancel, { once: true });
  loop.queue.add(key);
  loop.startWorkers();
  if (signal.aborted) cancel();
  try {
    const outcome = await ended;
    await loop.stop({ deadline: signal });
    return outcome;
  } finally {
    signal.removeEventListener('abort', cancel);
    void loop.stop({ deadline: signal });
  }
}

async function found(
  client: KubernetesClient,
  { kind, key }: { readonly kind: Kind<KubernetesObject>; readonly key: ObjectKey },
): Promise<Stored<KubernetesObject> | undefined> {
  try {
    return await client.resource(kind).get(key);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
