import { CompactedError, type StorageChange, StorageClosedError, type StorageWatch } from '../storage.ts';
import type { EtcdClient, EtcdWatchStream } from './etcd-client.ts';
import type { EtcdEvent, WatchResponse } from './etcd-messages.ts';
import { ProgressWaiters } from './progress-waiters.ts';
import { QuietRange } from './quiet-range.ts';

/** Options for {@link EtcdWatch}. */
export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly key: Uint8Array;
  readonly rangeEnd: Uint8Array;
  readonly fromRevision: number;
  /** True if etcd's progress notifications can be trusted. */
  readonly reportsProgress: boolean;
  readonly changeOf: (event: EtcdEvent) => StorageChange;
  readonly handler: (changes: readonly StorageChange[]) => void;
  readonly onLost: (error: unknown) => void;
  /** Called with errors thrown by the handler. */
  readonly onFault: (error: unknown) => void;
  /** Called once the watch has ended, for any reason. */
  readonly onEnded: () => void;
  /** Returns etcd's newest revision. */
  readonly newest: () => Promise<number>;
}

/** Delay before a broken stream is reopened, in milliseconds. */
const reopenMs = 200;

/** A watch on etcd. It reopens its stream after a failure and continues where it stopped. */
export class EtcdWatch implements StorageWatch {
  readonly #options: EtcdWatchOptions;
  #stream: EtcdWatchStream | undefined;
  /** Changes up to this revision have been delivered. */
  #progress: number;
  readonly #waiters: ProgressWaiters;
  readonly #quiet: QuietRange | undefined;
  #fragments: EtcdEvent[] = [];
  #end: { readonly error: unknown } | undefined;

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#progress = options.fromRevision;
    this.#waiters = new ProgressWaiters(() => this.#requestProgress());
    if (!options.reportsProgress) this.#quiet = new QuietRange(options);
  }

  /** Opens the watch. Resolves once etcd has confirmed that its history reaches back to the start revision. */
  async start(): Promise<void> {
    await this.#quiet?.count(this.#progress);
    this.#open();
    await this.synced();
  }

  async synced(): Promise<number> {
    const revision = await this.#options.newest();
    if (this.#end) throw this.#end.error;
    if (revision > this.#progress) await this.#waiters.wait(revision);
    return Math.max(revision, this.#progress);
  }

  [Symbol.dispose](): void {
    this.#finish(new StorageClosedError());
  }

  #finish(error: unknown): void {
    if (this.#end) return;
    this.#end = { error };
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#waiters.fail(error);
    this.#options.onEnded();
  }

  #lose(error: unknown): void {
    this.#finish(error);
    this.#options.onLost(error);
  }

  async #requestProgress(): Promise<void> {
    if (!this.#quiet) {
      this.#stream?.write({ progressRequest: {} });
      return;
    }
    const reached = await this.#quiet.since(this.#progress);
    if (reached !== undefined) this.#advance(reached);
  }

  #advance(revision: number): void {
    this.#progress = Math.max(this.#progress, revision);
    this.#waiters.advance(this.#progress);
  }

  #open(): void {
    if (this.#end) return;
    const { client, key, rangeEnd } = this.#options;
    const stream = client.openWatch();
    this.#stream = stream;
    this.#fragments = [];
    stream.on('data', (response) => {
      if (stream === this.#stream) this.#take(response);
    });
    const reopen = (): void => {
      if (stream !== this.#stream) return;
      this.#stream = undefined;
      // seam: the delay before a real connection is reopened
      setTimeout(() => this.#open(), reopenMs).unref();
    };
    stream.on('error', reopen);
    stream.on('end', reopen);
    const startRevision = this.#progress + 1;
    stream.write({ createRequest: { key, rangeEnd, startRevision, prevKv: true, fragment: true } });
  }

  #take(response: WatchResponse): void {
    if (response.canceled) {
      const { compactRevision, cancelReason } = response;
      this.#lose(compactRevision > 0 ? new CompactedError(this.#progress, compactRevision) : new Error(cancelReason));
      return;
    }
    if (response.created) return;
    this.#fragments.push(...response.events);
    if (response.fragment) return;
    const events = this.#fragments;
    this.#fragments = [];
    const fresh = events.filter(({ kv }) => kv.modRevision > this.#progress);
    if (!this.#deliver(fresh)) return;
    this.#quiet?.follow(fresh);
    const last = events.at(-1)?.kv.modRevision;
    // A response without events is a progress notification.
    if (last !== undefined) this.#advance(last);
    else if (!this.#quiet) this.#advance(response.header.revision);
  }

  /** Delivers changes to the handler. If a change cannot be decoded, ends the watch and returns false. */
  #deliver(events: readonly EtcdEvent[]): boolean {
    if (events.length === 0) return true;
    let changes: readonly StorageChange[];
    try {
      changes = events.map(this.#options.changeOf);
    } catch (error) {
      this.#lose(error);
      return false;
    }
    try {
      this.#options.handler(changes);
    } catch (error) {
      this.#options.onFault(error);
    }
    return true;
  }
}
