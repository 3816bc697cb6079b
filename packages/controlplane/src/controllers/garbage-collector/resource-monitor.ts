import {
  type Clock,
  isGone,
  type Kind,
  type KindDescriptor,
  type KubernetesObject,
  type ObjectMeta,
  sleep,
} from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';

/** Told of the objects of a kind, by metadata. */
export interface MetadataSink {
  observe(kind: KindDescriptor, metadata: ObjectMeta): void;
  remove(uid: string): void;
}

/** What a {@link ResourceMonitor} is made of. */
export interface ResourceMonitorOptions {
  readonly kind: KindDescriptor;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sink: MetadataSink;
}

const firstPauseMs = 200;
const longestPauseMs = 30_000;
const pageSize = 500;
/** A server of somebody else's that never lets its objects be listed must not keep deletions waiting for ever. */
const patienceMs = 30_000;

/** Follows all objects of one kind, by metadata only: lists, watches, and starts over when the server lost the thread. */
export class ResourceMonitor {
  readonly kind: KindDescriptor;
  readonly #options: ResourceMonitorOptions;
  readonly #stop = new AbortController();
  readonly #known = new Set<string>();
  #synced = false;
  #failingSinceMs: number | undefined;
  #done: Promise<void> | undefined;

  constructor(options: ResourceMonitorOptions) {
    this.kind = options.kind;
    this.#options = options;
  }

  /** True once everything was listed, or could not be for so long that the others are not to wait for it: as upstream. */
  get hasSynced(): boolean {
    if (this.#synced || this.#failingSinceMs === undefined) return this.#synced;
    return this.#options.clock.monotonic() - this.#failingSinceMs >= patienceMs;
  }

  start(): void {
    this.#done ??= this.#run();
  }

  /** Stops; `forget` also takes its objects out of the sink, as when their kind is gone. */
  async stop(how: { readonly forget: boolean }): Promise<void> {
    this.#stop.abort();
    await this.#done;
    if (how.forget) for (const uid of this.#known) this.#options.sink.remove(uid);
  }

  async #run(): Promise<void> {
    const { clock, log, kind } = this.#options;
    const { signal } = this.#stop;
    let pauseMs = firstPauseMs;
    let from: string | undefined;
    while (!signal.aborted) {
      try {
        from ??= await this.#list();
        pauseMs = firstPauseMs;
        from = await this.#watch(from);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) {
          from = undefined;
          continue;
        }
        this.#failingSinceMs ??= clock.monotonic();
        log.debug('cannot follow a resource; trying again', { group: kind.group, resource: kind.plural, error });
        await sleep(clock, { ms: pauseMs, signal }).catch(() => {});
        pauseMs = Math.min(pauseMs * 2, longestPauseMs);
      }
    }
  }

  async #list(): Promise<string> {
    const { client, kind, sink } = this.#options;
    const { signal } = this.#stop;
    const metadata = client.metadata(kind as Kind<unknown>);
    const seen = new Set<string>();
    let next: string | undefined;
    let resourceVersion = '';
    do {
      const page = await metadata.list({ limit: pageSize, continue: next, signal });
      for (const item of page.items) this.#observe(item, seen);
      resourceVersion = page.metadata.resourceVersion ?? '';
      next = page.metadata.continue || undefined;
    } while (next !== undefined);
    for (const uid of [...this.#known]) {
      if (seen.has(uid)) continue;
      this.#known.delete(uid);
      sink.remove(uid);
    }
    this.#synced = true;
    return resourceVersion;
  }

  /** Answers the version up to which it saw; undefined when only a new listing helps. */
  async #watch(from: string): Promise<string | undefined> {
    const { client, kind, sink } = this.#options;
    const { signal } = this.#stop;
    let resourceVersion = from;
    for await (const event of client.metadata(kind as Kind<unknown>).watch({ resourceVersion, signal })) {
      if (event.type === 'ERROR') {
        if (isGone(event.error)) return undefined;
        throw event.error;
      }
      const { metadata } = event.object;
      if (event.type === 'DELETED') {
        this.#known.delete(metadata.uid ?? '');
        sink.remove(metadata.uid ?? '');
      } else if (event.type !== 'BOOKMARK') {
        this.#observe(event.object, this.#known);
      }
      resourceVersion = metadata.resourceVersion ?? resourceVersion;
    }
    return resourceVersion;
  }

  #observe({ metadata }: KubernetesObject, seen: Set<string>): void {
    const { uid } = metadata;
    if (uid === undefined) return;
    seen.add(uid);
    this.#known.add(uid);
    this.#options.sink.observe(this.kind, metadata);
  }
}
