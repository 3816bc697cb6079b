import { type Clock, isGone, type Kind, type KubernetesObject, sleep } from '@kubewright/apimachinery';
import { exponentialDelay } from '@kubewright/apimachinery/internal';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { clusterLogEvents } from '../../log/cluster-log-events.ts';

/** Options for {@link WatchedObject}. */
export interface WatchedObjectOptions<T extends KubernetesObject> {
  readonly kind: Kind<T>;
  readonly namespace: string;
  readonly name: string;
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called after each new state has been read, including the deletion of the object. */
  readonly changed: () => void;
}

const pauses = { initialMs: 200, maxMs: 30_000 };

/**
 * Watches one object by its name. A node may do so even if it cannot read other objects of the kind.
 * Dispose it to stop.
 */
export class WatchedObject<T extends KubernetesObject> implements Disposable {
  /** Resolves once the first lookup has succeeded or failed. */
  readonly ready: Promise<void>;
  readonly #options: WatchedObjectOptions<T>;
  readonly #stop = new AbortController();
  #setReady: () => void = () => {};
  #object: T | undefined;

  constructor(options: WatchedObjectOptions<T>) {
    this.#options = options;
    this.ready = new Promise((resolve) => {
      this.#setReady = resolve;
    });
    void this.#run();
  }

  /** The last state read; undefined if the object does not exist or has not been read yet. */
  get object(): T | undefined {
    return this.#object;
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#setReady();
  }

  /** Runs the list and watch loop. Never rejects. */
  async #run(): Promise<void> {
    const { clock, log, kind, namespace, name } = this.#options;
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
        from = undefined;
        if (!isGone(error)) {
          log.debug('Failed to watch', {
            event: clusterLogEvents.watchFailed,
            kind: kind.kind,
            namespace,
            name,
            error,
          });
          this.#setReady();
          // Rejects if this object is disposed in the meantime; the loop then ends.
          await sleep(clock, { ms: exponentialDelay(failures++, pauses), signal }).catch(() => {});
        }
      }
    }
  }

  async #list(): Promise<string> {
    const { client, kind, ...rest } = this.#options;
    const { signal } = this.#stop;
    const fieldSelector = `metadata.name=${rest.name}`;
    const list = await client.resource(kind).list({ namespace: rest.namespace, fieldSelector, signal });
    const [object] = list.items;
    if (object?.metadata.resourceVersion !== this.#object?.metadata.resourceVersion) this.#set(object);
    this.#setReady();
    return list.metadata.resourceVersion ?? '';
  }

  /** Watches until the stream ends. Returns the last resourceVersion seen; undefined if a relist is needed. */
  async #watch(from: string): Promise<string | undefined> {
    const { client, kind, namespace, name } = this.#options;
    const { signal } = this.#stop;
    let resourceVersion = from;
    const events = client
      .resource(kind)
      .watch({ namespace, fieldSelector: `metadata.name=${name}`, resourceVersion, signal });
    for await (const event of events) {
      if (event.type === 'ERROR') {
        if (isGone(event.error)) return undefined;
        throw event.error;
      }
      if (event.type !== 'BOOKMARK') this.#set(event.type === 'DELETED' ? undefined : event.object);
      resourceVersion = event.object.metadata.resourceVersion ?? resourceVersion;
    }
    return resourceVersion;
  }

  #set(object: T | undefined): void {
    this.#object = object;
    this.#options.changed();
  }
}
