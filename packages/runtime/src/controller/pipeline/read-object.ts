import { type Clock, isDeleting, type Kind, type KubernetesObject, type Stored } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { InformerCache } from '../../cache/informer-cache.ts';
import { SplitReads } from '../../cache/split-reads.ts';
import type { Finalizer } from '../../desired/finalizer.ts';
import type { ObjectForm } from '../../desired/object-form.ts';
import { instantOf } from '../../fencing/lease-term.ts';
import { addFinalizers, removeFinalizer } from '../../finalizer/finalizers.ts';
import type { ContextOptions, LoopContext } from '../../reconcile/context.ts';
import { nextRun } from '../../reconcile/next-run.ts';
import type { ReconcileOutcome } from '../../reconcile/reconcile.ts';
import type { ReconcileRun } from './reconcile-run.ts';

/** Options for {@link ReadObject}. */
export interface ReadObjectOptions {
  readonly kind: Kind<KubernetesObject>;
  readonly finalizers: Readonly<Record<string, Finalizer<KubernetesObject>>>;
  readonly needsFinalizers: (object: Stored<KubernetesObject>) => boolean;
  readonly form: ObjectForm;
  readonly context: (options: ContextOptions) => LoopContext;
  readonly cache: InformerCache;
  readonly clock: Clock;
}

/** Reads the object of a request and, depending on its state, adds finalizers, reconciles it, or cleans up. */
export class ReadObject {
  readonly #options: ReadObjectOptions;

  constructor(options: ReadObjectOptions) {
    this.#options = options;
  }

  async run(run: ReconcileRun): Promise<ReconcileOutcome> {
    const { kind, finalizers, needsFinalizers, form, context, cache, clock } = this.#options;
    const { request } = run;
    // After a write with an unknown outcome, the cached object may be outdated, and reconciling it could repeat work already done.
    const lookedAt = cache.isUncertain(kind, request) ? instantOf(clock) : undefined;
    const object = lookedAt ? await this.#readLive(run) : cache.peek(kind, request)?.object;
    // The object was deleted. This is normal: nothing is left to reconcile.
    if (!object) return undefined;
    const names = Object.keys(finalizers);
    if (names.length === 0) return form.reconcile(object, context({ run, primary: object, readAt: lookedAt }));
    if (isDeleting(object)) return (await this.#cleanUp(object, run)).outcome;
    const hasFinalizer = (name: string): boolean => object.metadata.finalizers?.includes(name) ?? false;
    if (!needsFinalizers(object)) {
      if (!names.some(hasFinalizer)) return form.reconcile(object, context({ run, primary: object, readAt: lookedAt }));
      const readAt = instantOf(clock);
      const { outcome, cleaned } = await this.#cleanUp(object, run);
      return cleaned ? form.reconcile(cleaned, context({ run, primary: cleaned, readAt })) : outcome;
    }
    const missing = names.filter((name) => !hasFinalizer(name));
    if (missing.length === 0) return form.reconcile(object, context({ run, primary: object, readAt: lookedAt }));
    // Finalizers are added before the first reconcile, so that no external resource is created before cleanup is
    // guaranteed.
    const readAt = instantOf(clock);
    const marked = await addFinalizers(object, { ...this.#patching(run), names: missing });
    return form.reconcile(marked, context({ run, primary: marked, readAt }));
  }

  /**
   * Runs the finalizers that the object has. Returns the object without the finalizers, or the outcome of a finalizer that is not
   * done.
   */
  async #cleanUp(
    object: Stored<KubernetesObject>,
    run: ReconcileRun,
  ): Promise<{ readonly outcome?: ReconcileOutcome; readonly cleaned?: Stored<KubernetesObject> }> {
    const { kind, finalizers, form, cache, context } = this.#options;
    const { request, key } = run;
    let current = object;
    for (const [name, finalize] of Object.entries(finalizers)) {
      if (!current.metadata.finalizers?.includes(name)) continue;
      const within = context({ run, primary: current, readAt: undefined });
      const result = await finalize(current, within);
      const isState = result !== undefined && 'finalized' in result;
      const outcome = isState ? await form.applyFinal(current, within, result) : result;
      // A finalizer that requests a requeue has not cleaned up yet.
      if ((isState && !result.finalized) || (outcome && nextRun(outcome, key))) return { outcome };
      // Finalizers may have written the object, so continue with the latest version.
      const isUncertain = cache.isUncertain(kind, request);
      const latest = isUncertain ? await this.#readLive(run) : cache.peek(kind, request)?.object;
      const base = latest?.metadata.uid === current.metadata.uid ? (latest ?? current) : current;
      current = await removeFinalizer(base, { ...this.#patching(run), name });
    }
    return { cleaned: current };
  }

  /** Reads the object from the server; an object outside the selector counts as deleted. */
  async #readLive({ request: key, client, signal }: ReconcileRun): Promise<Stored<KubernetesObject> | undefined> {
    const { kind, cache } = this.#options;
    const object = await new SplitReads({ cache, client }).get(kind, key, { signal });
    return cache.isOutside(kind, key) ? undefined : object;
  }

  #patching({ client, signal }: ReconcileRun): {
    readonly client: KubernetesClient;
    readonly kind: Kind<KubernetesObject>;
    readonly signal: AbortSignal;
  } {
    return { client, kind: this.#options.kind, signal };
  }
}
