import { formatObjectKey, isDeleting, type Kind, type KubernetesObject } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../cache/informer-cache.ts';
import type { ObjectForm } from '../desired/object-form.ts';
import { addFinalizers, removeFinalizer } from '../finalizer/finalizers.ts';
import type { ReconcileRequest } from '../handler/event-handler.ts';
import type { Moment } from '../leader-election/tenure.ts';
import type { LoopContext } from './context.ts';
import type { Finalizer, ReconcileOutcome, ReconcileResult } from './reconcile.ts';
import type { Lifetime } from './reconcile-timeout.ts';
import { requeueDelay } from './requeue-delay.ts';

/** What reconciling an object, rather than a key, needs. */
export interface ObjectReconcileOptions {
  readonly kind: Kind<KubernetesObject>;
  readonly finalizers: Readonly<Record<string, Finalizer<KubernetesObject>>>;
  readonly reconcile: ObjectForm;
  readonly cache: InformerCache;
  readonly now: () => Moment;
}

/** What one run has. */
export interface ObjectRun {
  readonly lifetime: Lifetime;
  readonly client: () => KubernetesClient;
  /** Makes a context; `askedAt` says when the server was asked, of an object that is its answer. */
  readonly contextFor: (primary: KubernetesObject, askedAt?: Moment) => LoopContext;
}

/** Reads the object of a request and does with it what its state calls for: finalizers on, reconcile, clean-up. */
export class ObjectReconcile {
  readonly #options: ObjectReconcileOptions;

  constructor(options: ObjectReconcileOptions) {
    this.#options = options;
  }

  async run(request: ReconcileRequest, run: ObjectRun): Promise<ReconcileOutcome> {
    const { kind, finalizers, reconcile, cache, now } = this.#options;
    const { contextFor } = run;
    const object = cache.peek(kind, request)?.object;
    // Gone: the normal end of every object, and of the requests for it.
    if (!object) return undefined;
    const names = Object.keys(finalizers);
    if (names.length === 0) return reconcile(object, contextFor(object));
    if (isDeleting(object)) return this.#cleanUp(object, run);
    const missing = names.filter((name) => !object.metadata.finalizers?.includes(name));
    if (missing.length === 0) return reconcile(object, contextFor(object));
    // On the object before its first reconcile: nothing may be made outside that nobody would clean up.
    const askedAt = now();
    const marked = await addFinalizers(object, { ...this.#patching(run), names: missing });
    return reconcile(marked, contextFor(marked, askedAt));
  }

  async #cleanUp(object: KubernetesObject, run: ObjectRun): Promise<ReconcileOutcome> {
    const { kind, finalizers, cache } = this.#options;
    let current = object;
    for (const [name, finalize] of Object.entries(finalizers)) {
      if (!current.metadata.finalizers?.includes(name)) continue;
      const outcome = await finalize(current, run.contextFor(current));
      // A step that wants to run again has not cleaned up yet.
      const again = outcome ? runAgain(outcome, current) : undefined;
      if (again) return again;
      // Steps may have written the object: their answer is the version to go on from.
      const latest = cache.peek(kind, { name: current.metadata.name ?? '', ...namespaceOf(current) })?.object;
      const base = latest?.metadata.uid === current.metadata.uid ? (latest ?? current) : current;
      current = await removeFinalizer(base, { ...this.#patching(run), name });
    }
    return undefined;
  }

  #patching({ client, lifetime: { signal } }: ObjectRun): {
    readonly client: KubernetesClient;
    readonly kind: Kind<KubernetesObject>;
    readonly signal: AbortSignal;
  } {
    return { client: client(), kind: this.#options.kind, signal };
  }
}

/** What a clean-up step asks for when it is to run again; `undefined` when it has done its work. */
function runAgain(outcome: ReconcileResult, { metadata }: KubernetesObject): ReconcileResult | undefined {
  const { namespace, name = '' } = metadata;
  const delayMs = requeueDelay(outcome, formatObjectKey(namespace ? { namespace, name } : { name }));
  // No time at all means "again", too; as a delay it would be taken for none, and the object never be let go.
  if (delayMs !== undefined && delayMs <= 0) return { ...outcome, requeue: true };
  return outcome.requeue || delayMs !== undefined ? outcome : undefined;
}

function namespaceOf(object: KubernetesObject): { readonly namespace?: string } {
  const { namespace } = object.metadata;
  return namespace === undefined ? {} : { namespace };
}
