import {
  type Clock,
  isGone,
  type Kind,
  type KindDescriptor,
  type KubernetesObject,
  type ObjectMeta,
  sleep,
} from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { clusterLogEvents } from '../../log/cluster-log-events.ts';

/** Receives the metadata of objects as they change. */
export interface MetadataSink {
  observe(kind: KindDescriptor, metadata: ObjectMeta): void;
  remove(uid: string): void;
}

/** Options for {@link ResourceMonitor}. */
export interface ResourceMonitorOptions {
  readonly kind: KindDescriptor;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly sink: MetadataSink;
}

const pauses = { initialMs: 200, maxMs: 30_000 };
const pageSize = 500;
/**
 * Maximum time that a failing list blocks garbage collection. An aggregated server that is down must not block
 * deletions forever.
 */
const patienceMs = 30_000;

/**
 * Follows the metadata of all objects of one kind: lists and watches, and relists if the watched resource version has expired.
 */
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

  /**
   * True once all objects are listed, or once listing has failed for too long. As in upstream, the kind then no longer
   * blocks other kinds.
   */
  get hasSynced(): boolean {
    if (this.#synced || this.#failingSinceMs === undefined) return this.#synced;
    return this.#options.clock.monotonic() - this.#failingSinceMs >= patienceMs;
  }

  /**
   * Starts the monitor. If it replaces another monitor, it takes over that monitor's objects, so that it notices objects that
   * were deleted in the meantime.
   */
  start(replaced?: ResourceMonitor): void {
    this.#done ??= replaced ? this.#takeOver(replaced).then(() => this.#run()) : this.#run();
  }

  /** Stops the monitor. Returns the uids of the observed objects. */
  async stop(): Promise<ReadonlySet<string>> {
    this.#stop.abort();
    await this.#done;
    return this.#known;
  }

  async #takeOver(replaced: ResourceMonitor): Promise<void> {
    for (const uid of await replaced.stop()) this.#known.add(uid);
  }

  async #run(): Promise<void> {
    const { clock, log, kind } = this.#options;
    const { signal } = this.#stop;
    let failures = 0;
    let from: string | undefined;
    while (!signal.aborted) {
      try {
        from ??= await this.#list();
        failures = 0;
        from = await this.#watch(from);
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) {
          from = undefined;
          continue;
        }
        this.#failingSinceMs ??= clock.monotonic();
        log.debug('Failed to watch', {
          event: clusterLogEvents.watchFailed,
          group: kind.group,
          resource: kind.plural,
          error,
        });
        await sleep(clock, { ms: exponentialDelay(failures++, pauses), signal }).catch(() => {});
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

  /**
   * Processes events until the watch ends. Returns the last seen resource version, or undefined if a relist is needed.
   */
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
