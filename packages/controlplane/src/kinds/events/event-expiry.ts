import type { Clock, Timer } from '@kubewright/apimachinery';
import type { Storage } from '@kubewright/apiserver';
import { eachChange, RevisionMismatchError } from '@kubewright/apiserver/internal';

const prefix = '/registry/events/';
/** Time to keep an event after its last write, in milliseconds: `--event-ttl` of kube-apiserver. */
const ttlMs = 60 * 60_000;

/** Deletes events an hour after their last write, as kube-apiserver does. Nothing else deletes them. */
export class EventExpiry implements Disposable {
  readonly #clock: Clock;
  readonly #storage: Storage;
  readonly #onError: (error: unknown) => void;
  /** Keys in order of expiry, because all are kept for the same time. */
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

  /** Starts the timers. Already stored events count as written now. */
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
      // Written again or deleted in the meantime, which is handled as a separate change.
      if (!(error instanceof RevisionMismatchError)) throw error;
    }
  }
}
