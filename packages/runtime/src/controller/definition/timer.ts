import type { Clock, Kind, KubernetesObject, ObjectMeta, Stored } from '@kubewright/apimachinery';
import type { Cache } from '../../cache/cache.ts';
import { generationChanged, predicateFuncs } from '../../predicate/predicates.ts';
import type { ReconcileContext, ReconcileOutcome } from '../../reconcile/reconcile.ts';
import type { ControllerDefinition, ReconcileOptions } from './controller-definition.ts';
import { controller } from './define-controller.ts';

/** Options for {@link timer}, in addition to controller settings. */
export interface TimerOptions<T extends KubernetesObject>
  extends Omit<ReconcileOptions<T>, 'reconcile' | 'desired' | 'predicates' | 'owns'> {
  /** Name in metrics and logs. @defaultValue the kind in lower case, followed by `-timer` */
  readonly name?: string;
  /** Time between two runs for one object, in milliseconds. */
  readonly intervalMs: number;
  /** Delay of the first run after the object appears, or the program starts, in milliseconds. @defaultValue 0 */
  readonly initialDelayMs?: number;
  /** Minimum time since the last change of the object's generation before a run, in milliseconds. @defaultValue 0 */
  readonly idleMs?: number;
  /** True to count the interval from the start of a run, false from its end. @defaultValue false */
  readonly sharp?: boolean;
  /**
   * Called at each scheduled time. Errors are retried with backoff; a returned `requeueAfterMs` replaces the interval
   * once.
   */
  readonly run: (object: Stored<T>, context: ReconcileContext<T>) => Promise<ReconcileOutcome>;
}

/** The state of one object's timer. */
interface Due {
  generation: number | undefined;
  changedMs: number;
  dueMs: number;
}

/**
 * Declares a controller that runs a function for each object at regular times, whether or not the object changes;
 * changes do not trigger it. All timers share the controller's queue. Times count from the start of the program, or of
 * the leader's term. Mirrors kopf's `@kopf.timer`.
 *
 * @example
 * ```ts
 * export const checkBackups = timer({
 *   for: Database,
 *   intervalMs: 3_600_000,
 *   idleMs: 60_000,
 *   run: async (database, ctx) => {
 *     await ctx.setStatus({ lastBackup: await lastBackupOf(database) }, { fieldManager: 'backups' });
 *   },
 * });
 * ```
 * @throws RangeError unless `intervalMs` is positive.
 */
export function timer<T extends KubernetesObject>(options: TimerOptions<T>): ControllerDefinition {
  const { intervalMs, initialDelayMs = 0, idleMs = 0, sharp = false, run, ...settings } = options;
  if (!(intervalMs > 0))
    throw new RangeError(`cannot declare a timer of ${options.for.kind}: intervalMs must be greater than 0`);
  // A definition may run in several managers; each has its own cache.
  const timers = new WeakMap<Cache, DueTimes>();
  return controller<T>({
    name: `${options.for.kind.toLowerCase()}-timer`,
    ...settings,
    for: options.for,
    predicates: [idleMs > 0 ? generationChanged<T>() : predicateFuncs<T>({ update: () => false })],
    async reconcile(object, context) {
      const { cache, clock } = context;
      const times = timers.get(cache) ?? new DueTimes(cache, options.for);
      timers.set(cache, times);
      const due = times.of(object.metadata, { clock, initialDelayMs });
      const startMs = clock.monotonic();
      const atMs = Math.max(due.dueMs, due.changedMs + idleMs);
      if (atMs > startMs) return { requeueAfterMs: atMs - startMs };
      const outcome = await run(object, context);
      const endMs = clock.monotonic();
      // Scheduled times that passed during the run are skipped.
      due.dueMs = sharp ? startMs + intervalMs * (Math.floor((endMs - startMs) / intervalMs) + 1) : endMs + intervalMs;
      return { requeueAfterMs: due.dueMs - endMs, ...outcome };
    },
  });
}

/** The timers of one manager's objects, by uid. */
class DueTimes {
  readonly #cache: Cache;
  readonly #kind: Kind<KubernetesObject>;
  readonly #times = new Map<string, Due>();

  constructor(cache: Cache, kind: Kind<KubernetesObject>) {
    this.#cache = cache;
    this.#kind = kind;
  }

  of(
    { uid = '', generation }: Pick<ObjectMeta, 'uid' | 'generation'>,
    { clock, initialDelayMs }: { readonly clock: Clock; readonly initialDelayMs: number },
  ): Due {
    const nowMs = clock.monotonic();
    const known = this.#times.get(uid);
    if (!known) {
      this.#forgetDeleted();
      const made = { generation, changedMs: nowMs, dueMs: nowMs + initialDelayMs };
      this.#times.set(uid, made);
      return made;
    }
    if (known.generation !== generation) {
      known.generation = generation;
      known.changedMs = nowMs;
    }
    return known;
  }

  /**
   * Forgets deleted objects once they outnumber existing objects. Deleted objects are never reconciled, so no run
   * removes their timers.
   */
  #forgetDeleted(): void {
    const lister = this.#cache.lister(this.#kind);
    if (this.#times.size < 64 || this.#times.size < 2 * lister.size) return;
    const present = new Set(lister.views().map((view) => view.uid));
    for (const uid of this.#times.keys()) if (!present.has(uid)) this.#times.delete(uid);
  }
}
