import type { Kind, KubernetesObject } from '@kubewright/apimachinery';
import { enqueueForObject } from '../handler/enqueue-for-object.ts';
import { enqueueForOwner } from '../handler/enqueue-for-owner.ts';
import { type Watch, watch } from '../source/source.ts';
import type {
  ControllerDefinition,
  ControllerOptions,
  ControllerSettings,
  RequestControllerOptions,
} from './controller-definition.ts';
import type { Finalizer, ReconcileContext, ReconcileOutcome } from './reconcile.ts';

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
 */
export function controller<T extends KubernetesObject>(options: ControllerOptions<T>): ControllerDefinition {
  const { for: primary, owns = [], predicates = [], finalizers = {} } = options;
  const watches: Watch[] = [
    watch(primary, enqueueForObject<T>(), { ...options.cached, predicates }),
    ...owns.map((kind) => watch(kind, enqueueForOwner(primary))),
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
    run: {
      level: 'object',
      reconcile: options.reconcile.bind(options) as unknown as (
        object: KubernetesObject,
        context: ReconcileContext<KubernetesObject>,
      ) => Promise<ReconcileOutcome>,
    },
  };
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
  };
}
