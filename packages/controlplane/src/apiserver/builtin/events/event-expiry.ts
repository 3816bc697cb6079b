import type { Clock, Timer } from '@kubewright/apimachinery';
import { eachChange } from '../../../storage/index.ts';
import { RevisionMismatchError, type Storage } from '../../../storage/storage.ts';

const prefix = '/registry/events/';
/** How long an event is kept after it was last written, in milliseconds: `--event-ttl` of kube-apiserver. */
const ttlMs = 60 * 60_000;

/** Lets events go an hour after they were last written, as kube-apiserver does: nobody else takes them away. */
export class EventExpiry implements Disposable {
  readonly #clock: Clock;
  readonly #storage: Storage;
  readonly #onError: (error: unknown) => void;
  /** Keys in the order in which they fall due: each is kept for the same time. */
  readonly #due = new Map<string, { readonly revision: number; readonly atMs: number }>();
  #timer: Timer | undefined;
  #subscription: Disposable | undefined;

  constructor(options: {
    readonly clock: Clock;
    readonly storage: Storage;
    readonly onError: (error: unknown) => void;
  }) {
    this.#clock = options.clock;
    this.#storage = options.storage;
    this.#onError = options.onError;
  }

  /** Begins to count; what is stored already is as if it were written now. */
  async start(): Promise<void> {
    const { objects, revision } = await this.#storage.list({ prefix });
    for (const stored of objects) this.#keep(stored.key, stored.revision);
    const apply = eachChange(({ key, revision: written, current }) => {
      if (current) this.#keep(key, written);
      else this.#due.delete(key);
    });
    this.#subscription = this.#storage.watch({ prefix, fromRevision: revision }, apply);
    this.#arm();
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    this.#due.clear();
  }

  #keep(key: string, revision: number): void {
    this.#due.delete(key);
    this.#due.set(key, { revision, atMs: this.#clock.monotonic() + ttlMs });
    this.#arm();
  }

  #arm(): void {
    const [first] = this.#due.values();
    if (this.#timer || !first) return;
    const delayMs = Math.max(first.atMs - this.#clock.monotonic(), 0);
    this.#timer = this.#clock.setTimer(delayMs, () => void this.#expire().catch(this.#onError), { unref: true });
  }

  async #expire(): Promise<void> {
    const nowMs = this.#clock.monotonic();
    try {
      for (const [key, { revision, atMs }] of this.#due) {
        if (atMs > nowMs) break;
        this.#due.delete(key);
        await this.#delete(key, revision);
      }
    } finally {
      this.#timer = undefined;
      this.#arm();
    }
  }

  async #delete(key: string, revision: number): Promise<void> {
    try {
      await this.#storage.commit([{ key, expected: revision, encode: undefined }]);
    } catch (error) {
      // Written or deleted meanwhile: then it counts anew, or no more.
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  }
}
