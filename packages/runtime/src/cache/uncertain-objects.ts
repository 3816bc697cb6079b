import type { ObjectKey } from '@kubewright/apimachinery';
import { remember } from './remember.ts';
import { isDeletionOf, reached, type StoredVersion } from './stored-version.ts';
import type { WatchTime } from './watch-time.ts';

/**
 * How long an object in an unknown state is read live, in milliseconds; only time with an open watch counts. A watch
 * that lags longer than this is always detected.
 */
const uncertainMs = 150_000;

/** An object whose state only the server knows. */
interface Uncertainty {
  readonly key: ObjectKey;
  readonly mark: number;
  readonly untilMs: number;
  /** The version whose deletion has an unknown outcome, if that deletion caused the uncertainty. */
  readonly deletionOf?: StoredVersion;
  /** The write through another version of the API, if it caused the uncertainty. */
  readonly writtenAs?: StoredVersion;
}

/** Objects in an unknown state, until the watch or a live read shows their state. The latest 10,000 are remembered. */
export class UncertainObjects {
  readonly #time: WatchTime;
  readonly #objects = new Map<string, Uncertainty>();
  #marks = 0;

  constructor(time: WatchTime) {
    this.#time = time;
  }

  get size(): number {
    return this.#objects.size;
  }

  get(id: string): Uncertainty | undefined {
    return this.#objects.get(id);
  }

  /** Adds an object, with the cause of the uncertainty if the watch can resolve it. */
  add(id: string, what: Pick<Uncertainty, 'key' | 'deletionOf' | 'writtenAs'>): void {
    remember(this.#objects, id, { ...what, mark: ++this.#marks, untilMs: this.#time.ms + uncertainMs });
  }

  delete(id: string): void {
    this.#objects.delete(id);
  }

  /** Drops an object if the state shown by the watch resolves its uncertainty. */
  seen(
    id: string,
    what: { readonly version: StoredVersion; readonly removed: boolean; readonly isWhole: boolean },
  ): void {
    const { version, removed, isWhole } = what;
    const { writtenAs, deletionOf } = this.#objects.get(id) ?? {};
    if (writtenAs && reached(version, writtenAs)) this.#objects.delete(id);
    if (!deletionOf) return;
    const settles = removed ? isWhole && version.uid === deletionOf.uid : isDeletionOf(deletionOf, version);
    if (settles) this.#objects.delete(id);
  }

  keys(): readonly ObjectKey[] {
    return [...this.#objects.values()].map(({ key }) => key);
  }

  /** Drops objects that have been uncertain for too long. */
  dropExpired(): void {
    const now = this.#time.ms;
    for (const [id, { untilMs }] of this.#objects) {
      if (untilMs > now) break;
      this.#objects.delete(id);
    }
  }
}
