import { WatchHub, type WatchHubOptions } from './watch-hub.ts';

/** The hubs of a server: one for each storage prefix, made when first asked for. */
export class WatchHubs implements AsyncDisposable {
  readonly #options: Omit<WatchHubOptions, 'prefix'>;
  readonly #hubs = new Map<string, WatchHub>();

  constructor(options: Omit<WatchHubOptions, 'prefix'>) {
    this.#options = options;
  }

  /** The hub of the resource whose keys have a prefix; its versions share it. */
  hub(prefix: string): WatchHub {
    let hub = this.#hubs.get(prefix);
    if (!hub) {
      hub = new WatchHub({ ...this.#options, prefix });
      this.#hubs.set(prefix, hub);
    }
    return hub;
  }

  /** Ends all watches of a resource that is no longer served; it may be served again later. */
  close(prefix: string): void {
    this.#hubs.get(prefix)?.close();
    this.#hubs.delete(prefix);
  }

  /** Open streams by prefix, for metrics. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#hubs].map(([prefix, hub]) => [prefix, hub.watcherCount]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const prefix of [...this.#hubs.keys()]) this.close(prefix);
  }
}
