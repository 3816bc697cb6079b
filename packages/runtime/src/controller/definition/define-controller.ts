import { type Kind, type KubernetesObject, KubewrightError, type Stored } from '@kubewright/apimachinery';
import { defined, nearestName } from '@kubewright/apimachinery/internal';
import type { DesiredState } from '../../desired/desired-state.ts';
import type { Finalizer } from '../../desired/finalizer.ts';
import type { ObjectRun } from '../../desired/object-form.ts';
import { enqueueForObject, enqueueForOwner } from '../../handler/enqueue.ts';
import { childrenIndex } from '../../reconcile/observed-children.ts';
import { type Watch, watch } from '../../source/source.ts';
import type {
  ControllerDefinition,
  ControllerOptions,
  ControllerSettings,
  Desired,
  DesiredOptions,
  Reconcile,
  ReconcileOptions,
  RequestControllerOptions,
} from './controller-definition.ts';

/**
 * Declares a controller for a kind: declare → reconcile → apply.
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
 * @throws {@link MetadataOnlyError} (KW3042) when only the metadata of the primary kind would be cached.
 * @throws TypeError when `for` or a member of `owns` is not a kind, or unless exactly one of `reconcile` and `desired` is set.
 */
export function controller<T extends KubernetesObject, R extends DesiredState<T> = DesiredState<T>>(
  options: ControllerOptions<T, R>,
): ControllerDefinition {
  const { for: primary, owns = [], predicates = [], finalizers = {} } = options;
  requireKinds(options.name, primary, owns);
  if (options.cached?.metadataOnly) throw new MetadataOnlyError(primary.kind);
  const watches: Watch[] = [
    watch(primary, enqueueForObject<T>(), { ...options.cached, predicates }),
    ...owns.map((kind) => watch(kind, enqueueForOwner(primary), { indexes: childrenIndex })),
    ...(options.watches ?? []),
  ];
  const name = options.name ?? primary.kind.toLowerCase();
  return {
    ...settingsOf(options),
    name,
    primary,
    watches,
    owns,
    // The loop passes these functions only objects of the primary kind, read from its store.
    finalizers: checkedFinalizers(name, finalizers) as unknown as Readonly<Record<string, Finalizer<KubernetesObject>>>,
    ...defined({
      needsFinalizers: options.needsFinalizers as ((object: Stored<KubernetesObject>) => boolean) | undefined,
    }),
    run: objectRun(options, name),
  };
}

/**
 * Checks the kinds at run time. A kind may be undefined because of a forgotten option, an import cycle or a misspelled
 * import; without type checking, as with `tsx`, no other check reports it.
 *
 * @throws TypeError when a member is not a kind.
 */
function requireKinds(name: string | undefined, primary: unknown, owns: readonly unknown[]): void {
  const who = name === undefined ? 'a controller' : `the controller "${name}"`;
  const remedy = 'pass a kind from defineKind(…) or @kubewright/apimachinery; check for a missing or circular import';
  if (!isKind(primary)) {
    const what = primary === undefined ? 'the value is missing or undefined' : 'the value is not a kind';
    throw new TypeError(`${who} needs a kind in "for": ${what}; ${remedy}`);
  }
  const wrong = owns.findIndex((kind) => !isKind(kind));
  if (wrong < 0) return;
  const whose = name === undefined ? `the controller of ${primary.kind}` : who;
  throw new TypeError(`"owns" of ${whose} contains a value that is not a kind at index ${wrong}; ${remedy}`);
}

function isKind(value: unknown): value is Kind<KubernetesObject> {
  // Kinds are factories, or plain objects if a program discovers a kind at run time.
  const may = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return may && typeof (value as { kind?: unknown }).kind === 'string'; // read as unknown
}

/** @throws TypeError unless exactly one of `reconcile` and `desired` is set. */
function objectRun<T extends KubernetesObject>(options: ControllerOptions<T>, name: string): ObjectRun {
  const { reconcile } = options;
  const desired = 'desired' in options ? options.desired : undefined;
  if ((reconcile === undefined) === (desired === undefined)) {
    throw new TypeError(
      `the controller of ${options.for.kind} requires exactly one of "reconcile" and "desired"; "reconcile" can also return the desired state`,
    );
  }
  const run =
    options.reconcile === undefined
      ? { desired: checkedDesired(options, name) }
      : { reconcile: checkedReconcile(options, name) };
  // The loop passes these functions only objects of the primary kind, read from its store.
  return { level: 'object', ...run } as unknown as ObjectRun;
}

function checkedDesired<T extends KubernetesObject>(options: DesiredOptions<T>, name: string): Desired<T> {
  return (object, observed) => knownMembers(options.desired(object, observed), `"desired" of ${name}`, 'state');
}

function checkedReconcile<T extends KubernetesObject>(options: ReconcileOptions<T>, name: string): Reconcile<T> {
  return async (object, context) =>
    knownMembers(await options.reconcile(object, context), `the reconcile of ${name}`, 'state');
}

function checkedFinalizers<T extends KubernetesObject>(
  name: string,
  finalizers: Readonly<Record<string, Finalizer<T>>>,
): Readonly<Record<string, Finalizer<T>>> {
  const checked = Object.entries(finalizers).map(([finalizer, finalize]): [string, Finalizer<T>] => [
    finalizer,
    async (object, context) => finalResult(await finalize(object, context), `the finalizer ${finalizer} of ${name}`),
  ]);
  return Object.fromEntries(checked);
}

/** @throws TypeError when a field is unknown, or when a state does not tell whether the finalizer is done. */
function finalResult<R extends Awaited<ReturnType<Finalizer<KubernetesObject>>>>(result: R, what: string): R {
  const checked = knownMembers(result, what, 'final state');
  if (typeof checked !== 'object' || checked === null) return checked;
  const member = Object.keys(checked).find((each) => !ofResult.includes(each));
  if (member === undefined || typeof (checked as { readonly finalized?: unknown }).finalized === 'boolean')
    return checked;
  throw new TypeError(
    `${what} returned "${member}" without "finalized"; return finalized: false while cleanup is incomplete, and finalized: true when it is complete`,
  );
}

/**
 * Declares a controller whose function receives keys instead of objects. Use it for controllers that have no primary
 * kind, use custom sources, or must act on deleted objects.
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
    run: {
      level: 'request',
      reconcile: async (request, context) =>
        knownMembers(await options.reconcile(request, context), `the reconcile of ${options.name}`, 'result'),
    },
  };
}

function settingsOf(options: ControllerSettings): ControllerSettings {
  const { sources, caches, maxConcurrentReconciles, reconcileTimeoutMs, rateLimiter, fieldManager } = options;
  return {
    ...defined({
      sources,
      caches,
      maxConcurrentReconciles,
      reconcileTimeoutMs,
      rateLimiter,
      fieldManager,
      fenced: options.fenced,
      needLeaderElection: options.needLeaderElection,
      warmUp: options.warmUp,
      recoverPanic: options.recoverPanic,
      errorEvents: options.errorEvents,
      sharded: options.sharded,
    }),
  };
}

/** Fields of a reconcile result. */
const ofResult = ['requeueAfterMs', 'requeue', 'priority'];
/** Fields of a desired state. */
const ofState = [...ofResult, 'children', 'mayDelete', 'status', 'conditions'];

/** Fields of a finalizer's result. */
const ofFinalState = [...ofState, 'finalized'];

/**
 * Rejects unknown fields: a requeue requested under a misspelled name would never happen.
 *
 * @param what - the function that returned the value, such as `the reconcile of site`.
 * @throws TypeError when a field is unknown.
 */
export function knownMembers<R>(result: R, what: string, level: 'result' | 'state' | 'final state'): R {
  if (typeof result !== 'object' || result === null) return result;
  const known = level === 'result' ? ofResult : level === 'state' ? ofState : ofFinalState;
  for (const member of Object.keys(result)) if (!known.includes(member)) throw unknownMember(member, what, known);
  return result;
}

function unknownMember(member: string, what: string, known: readonly string[]): TypeError {
  const near = nearestName(member, known);
  const unit = near === 'requeueAfterMs' ? ' (in milliseconds)' : '';
  const rest = near === undefined ? `known properties: ${known.join(', ')}` : `did you mean "${near}"${unit}?`;
  return new TypeError(`${what} returned an unknown property "${member}"; ${rest}`);
}

/** Thrown when declaring a controller whose reconcile would receive objects without spec and status. */
export class MetadataOnlyError extends KubewrightError {
  override readonly name = 'MetadataOnlyError';
  /** Fix the program; the cluster is not at fault. */
  readonly code = 'KW3042';

  constructor(kind: string) {
    super({
      what: `cannot declare a controller of ${kind} with "metadataOnly" in "cached"`,
      why: 'its reconcile would receive objects without spec and status, and an apply would delete both',
      remedy: `remove "metadataOnly" (use "fields" to cache a part of each object), or declare a requestController with watch(${kind}, enqueueForObject(), { metadataOnly: true })`,
    });
  }
}
