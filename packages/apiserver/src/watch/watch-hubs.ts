import type { ConvertStored } from './ordered-conversion.ts';
import { WatchHub, type WatchHubOptions } from './watch-hub.ts';

/** The hubs of a server: one per storage prefix, created on first use. */
export class WatchHubs implements AsyncDisposable {
  readonly #options: Omit<WatchHubOptions, 'prefix'>;
  readonly #hubs = new Map<string, WatchHub>();
  readonly #convertedHubs = new Map<
    string,
    { readonly hub: WatchHub; readonly convert: ConvertStored; readonly prefix: string }
  >();

  constructor(options: Omit<WatchHubOptions, 'prefix'>) {
    this.#options = options;
  }

  /** Returns the hub for a storage prefix, which all versions of the resource share. */
  hub(prefix: string): WatchHub {
    let hub = this.#hubs.get(prefix);
    if (!hub) {
      hub = new WatchHub({ ...this.#options, prefix });
      this.#hubs.set(prefix, hub);
    }
    return hub;
  }

  /**
   * Returns the hub of one version of a resource that needs a conversion webhook. When the converter changes, the streams of the
   * previous converter end.
   */
  convertedHub(
    prefix: string,
    { apiVersion, convert }: { readonly apiVersion: string; readonly convert: ConvertStored },
  ): WatchHub {
    const key = `${prefix} ${apiVersion}`;
    const known = this.#convertedHubs.get(key);
    if (known?.convert === convert) return known.hub;
    known?.hub.close();
    const hub = new WatchHub({ ...this.#options, prefix, convert });
    this.#convertedHubs.set(key, { hub, convert, prefix });
    return hub;
  }

  /** Ends all watches of a resource that is no longer served. It may be served again later. */
  close(prefix: string): void {
    this.#hubs.get(prefix)?.close();
    this.#hubs.delete(prefix);
    for (const [key, converted] of this.#convertedHubs) {
      if (converted.prefix !== prefix) continue;
      converted.hub.close();
      this.#convertedHubs.delete(key);
    }
  }

  /** Returns the number of open streams by prefix, for metrics. */
  counts(): ReadonlyMap<string, number> {
    const counts = new Map([...this.#hubs].map(([prefix, hub]) => [prefix, hub.watcherCount]));
    for (const { prefix, hub } of this.#convertedHubs.values()) {
      counts.set(prefix, (counts.get(prefix) ?? 0) + hub.watcherCount);
    }
    return counts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const converted = [...this.#convertedHubs.values()].map(({ prefix }) => prefix);
    for (const prefix of new Set([...this.#hubs.keys(), ...converted])) this.close(prefix);
  }
}
