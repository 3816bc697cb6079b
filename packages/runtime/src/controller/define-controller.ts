import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { childrenIndex } from '../desired/children-index.ts';
import { enqueueForObject } from '../handler/enqueue-for-object.ts';
import { enqueueForOwner } from '../handler/enqueue-for-owner.ts';
import { type Watch, watch } from '../source/source.ts';
import type {
  ControllerDefinition,
  ControllerOptions,
  ControllerSettings,
  ObjectRun,
  RequestControllerOptions,
} from './controller-definition.ts';
import { MetadataOnlyError } from './metadata-only-error.ts';
import type { Finalizer } from './reconcile.ts';

/**
 * Declares a controller of a kind: declare → reconcile → apply.
 *
 * @example
 * ```ts
 * export const postgresql = controller({
 *   for: Postgresql,
 *   owns: [Pod, Secret],
 *   async reconcile(pg, ctx) {
 *     const [pod] = await ctx.apply([podFor(pg), secretFor(pg)]);
 *     await ctx.setStatus({ pgPhase: phaseOf(pod) });
 *     return { requeueAfterMs: 5_000 };
 *   },
 * });
 * ```
 * @throws {@link MetadataOnlyError} (KW3042) when only the metadata of its own kind would be cached.
 */
export function controller<T extends KubernetesObject>(options: ControllerOptions<T>): ControllerDefinition {
  const { for: primary, owns = [], predicates = [], finalizers = {} } = options;
  if (options.cached?.metadataOnly) throw new MetadataOnlyError(primary.kind);
  const watches: Watch[] = [
    watch(primary, enqueueForObject<T>(), { ...options.cached, predicates }),
    ...owns.map((kind) => watch(kind, enqueueForOwner(primary), { indexes: childrenIndex })),
    ...(options.watches ?? []),
  ];
  return {
    ...settingsOf(options),
    name: options.name ?? primary.kind.toLowerCase(),
    primary,
    watches,
    owns,
    // The loop hands these functions only objects of the primary kind, read from its store.
    finalizers: finalizers as unknown as Readonly<Record<string, Finalizer<KubernetesObject>>>,
    run: objectRun(options),
  };
}

/** @throws TypeError unless there is exactly one of `reconcile` and `desired`. */
function objectRun<T extends KubernetesObject>(options: ControllerOptions<T>): ObjectRun {
  const { reconcile, desired } = options;
  if ((reconcile === undefined) === (desired === undefined)) {
    throw new TypeError(
      `the controller of ${options.for.kind} needs either "reconcile" or "desired"; a "reconcile" may return what should be, too`,
    );
  }
  const run = desired ? { desired: desired.bind(options) } : { reconcile: reconcile?.bind(options) };
  // The loop hands these functions only objects of the primary kind, read from its store.
  return { level: 'object', ...run } as unknown as ObjectRun;
}

/**
 * Declares a controller whose function is given keys, not objects: for controllers without a primary kind, with their own
 * sources, or that must act on objects that are gone.
 */
export function requestController(options: RequestControllerOptions): ControllerDefinition {
  const primary: Kind<KubernetesObject> | undefined = options.for;
  return {
    ...settingsOf(options),
    name: options.name,
    primary,
    watches: options.watches ?? [],
    owns: [],
    finalizers: {},
    run: { level: 'request', reconcile: options.reconcile },
  };
}

function settingsOf(options: ControllerSettings): ControllerSettings {
  const { sources, caches, maxConcurrentReconciles, reconcileTimeoutMs, rateLimiter, fieldManager } = options;
  return {
    ...(sources && { sources }),
    ...(caches && { caches }),
    ...(maxConcurrentReconciles !== undefined && { maxConcurrentReconciles }),
    ...(reconcileTimeoutMs !== undefined && { reconcileTimeoutMs }),
    ...(rateLimiter && { rateLimiter }),
    ...(fieldManager !== undefined && { fieldManager }),
    ...(options.fenced !== undefined && { fenced: options.fenced }),
    ...(options.needLeaderElection !== undefined && { needLeaderElection: options.needLeaderElection }),
    ...(options.warmUp !== undefined && { warmUp: options.warmUp }),
    ...(options.recoverPanic !== undefined && { recoverPanic: options.recoverPanic }),
    ...(options.errorEvents !== undefined && { errorEvents: options.errorEvents }),
    ...(options.sharded !== undefined && { sharded: options.sharded }),
  };
}
