import {
  formatObjectKey,
  isDeleting,
  type Kind,
  type KubernetesObject,
  type ObjectKey,
  type Stored,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../../cache/informer-cache.ts';
import { SplitReads } from '../../cache/split-reads.ts';
import type { ObjectForm } from '../../desired/object-form.ts';
import type { Moment } from '../../fencing/tenure.ts';
import { addFinalizers, removeFinalizer } from '../../finalizer/finalizers.ts';
import type { ReconcileRequest } from '../../handler/event-handler.ts';
import type { Lifetime, LoopContext } from '../../reconcile/context.ts';
import { nextRun } from '../../reconcile/next-run.ts';
import type { Finalizer, ReconcileOutcome } from '../../reconcile/reconcile.ts';

/** Options of {@link ObjectReconcile}. */
export interface ObjectReconcileOptions {
  readonly kind: Kind<KubernetesObject>;
  readonly finalizers: Readonly<Record<string, Finalizer<KubernetesObject>>>;
  readonly reconcile: ObjectForm;
  readonly cache: InformerCache;
  readonly now: () => Moment;
}

/** The parts of one run. */
export interface ObjectRun {
  readonly lifetime: Lifetime;
  readonly client: () => KubernetesClient;
  /** Creates a context; `askedAt` is when the server was queried, if the object comes from there. */
  readonly contextFor: (primary: Stored<KubernetesObject>, askedAt?: Moment) => LoopContext;
}

/** Reads the object of a request and does what its state requires: adds finalizers, reconciles it, or cleans up. */
export class ObjectReconcile {
  readonly #options: ObjectReconcileOptions;

  constructor(options: ObjectReconcileOptions) {
    this.#options = options;
  }

  async run(request: ReconcileRequest, run: ObjectRun): Promise<ReconcileOutcome> {
    const { kind, finalizers, reconcile, cache, now } = this.#options;
    const { contextFor } = run;
    // After a write with an unknown outcome, the cached object may be outdated and repeat work already done.
    const lookedAt = cache.isUncertain(kind, request) ? now() : undefined;
    const object = lookedAt ? await this.#ask(request, run) : cache.peek(kind, request)?.object;
    // The object was deleted: the normal end of every object and its requests.
    if (!object) return undefined;
    const names = Object.keys(finalizers);
    if (names.length === 0) return reconcile(object, contextFor(object, lookedAt));
    if (isDeleting(object)) return this.#cleanUp(object, { request, run });
    const missing = names.filter((name) => !object.metadata.finalizers?.includes(name));
    if (missing.length === 0) return reconcile(object, contextFor(object, lookedAt));
    // Added before the first reconcile, so that nothing is created outside the cluster without cleanup.
    const askedAt = now();
    const marked = await addFinalizers(object, { ...this.#patching(run), names: missing });
    return reconcile(marked, contextFor(marked, askedAt));
  }

  async #cleanUp(
    object: Stored<KubernetesObject>,
    { request, run }: { readonly request: ReconcileRequest; readonly run: ObjectRun },
  ): Promise<ReconcileOutcome> {
    const { kind, finalizers, cache } = this.#options;
    let current = object;
    for (const [name, finalize] of Object.entries(finalizers)) {
      if (!current.metadata.finalizers?.includes(name)) continue;
      const outcome = await finalize(current, run.contextFor(current));
      // A finalizer that requests a requeue has not cleaned up yet.
      if (outcome && nextRun(outcome, formatObjectKey(request))) return outcome;
      // Finalizers may have written the object, so continue with the latest version.
      const isUncertain = cache.isUncertain(kind, request);
      const latest = isUncertain ? await this.#ask(request, run) : cache.peek(kind, request)?.object;
      const base = latest?.metadata.uid === current.metadata.uid ? (latest ?? current) : current;
      current = await removeFinalizer(base, { ...this.#patching(run), name });
    }
    return undefined;
  }

  /** Reads the object from the server; an object outside the selector counts as deleted. */
  async #ask(
    key: ObjectKey,
    { client, lifetime: { signal } }: ObjectRun,
  ): Promise<Stored<KubernetesObject> | undefined> {
    const { kind, cache } = this.#options;
    const object = await new SplitReads({ cache, client: client() }).get(kind, key, { signal });
    return cache.isOutside(kind, key) ? undefined : object;
  }

  #patching({ client, lifetime: { signal } }: ObjectRun): {
    readonly client: KubernetesClient;
    readonly kind: Kind<KubernetesObject>;
    readonly signal: AbortSignal;
  } {
    return { client: client(), kind: this.#options.kind, signal };
  }
}
