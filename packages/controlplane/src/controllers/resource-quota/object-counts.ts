import type { Clock, KindDescriptor, ObjectMeta } from '@kubewright/apimachinery';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { ResourceMonitor } from '../garbage-collector/resource-monitor.ts';

/** Dependencies of {@link ObjectCounts}. */
export interface CountParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** Counts the objects of resources by namespace. Watches the metadata of a resource as long as a quota names the resource. */
export class ObjectCounts {
  readonly #resources = new Map<string, CountedResource>();
  readonly #changed: (namespace: string, resource: string) => void;

  /** @param changed - called with the namespace and resource after a count has changed. */
  constructor(changed: (namespace: string, resource: string) => void) {
    this.#changed = changed;
  }

  /**
   * Starts watching a resource (`deployments.apps`). Does nothing if the resource is no longer counted by the time
   * discovery finds its kind. Returns true once the resource is listed; false if it is not counted, not served, or not
   * listed yet.
   */
  async follow(
    resource: string,
    { client, clock, log, signal, isWanted }: CountParts & { readonly isWanted: () => boolean },
  ): Promise<boolean> {
    const known = this.#resources.get(resource);
    if (known) return known.hasSynced;
    const { resources } = await client.discovery.mapper({ signal });
    const kind = resources.find(({ plural, group }) => (group === '' ? plural : `${plural}.${group}`) === resource);
    if (kind?.scope !== 'Namespaced' || !isWanted()) return false;
    const counted =
      this.#resources.get(resource) ??
      new CountedResource(kind, { client, clock, log, changed: (name) => this.#changed(name, resource) });
    this.#resources.set(resource, counted);
    return counted.hasSynced;
  }

  /** Stops watching a resource. */
  async forget(resource: string): Promise<void> {
    const counted = this.#resources.get(resource);
    this.#resources.delete(resource);
    await counted?.stop();
  }

  /** Returns the number of objects in a namespace, or undefined if the resource is not watched. */
  count(namespace: string, resource: string): number | undefined {
    return this.#resources.get(resource)?.count(namespace);
  }

  async stop(): Promise<void> {
    const stopping = [...this.#resources.values()].map((resource) => resource.stop());
    this.#resources.clear();
    await Promise.all(stopping);
  }
}

class CountedResource {
  readonly #monitor: ResourceMonitor;
  readonly #namespaces = new Map<string, string>();
  readonly #counts = new Map<string, number>();
  readonly #changed: (namespace: string) => void;

  constructor(
    kind: KindDescriptor,
    { changed, ...parts }: Omit<CountParts, 'signal'> & { readonly changed: (namespace: string) => void },
  ) {
    this.#changed = changed;
    const sink = {
      observe: (_kind: KindDescriptor, metadata: ObjectMeta) => this.#observe(metadata),
      remove: (uid: string) => this.#remove(uid),
    };
    this.#monitor = new ResourceMonitor({ kind, sink, ...parts });
    this.#monitor.start();
  }

  get hasSynced(): boolean {
    return this.#monitor.hasSynced;
  }

  count(namespace: string): number {
    return this.#counts.get(namespace) ?? 0;
  }

  async stop(): Promise<void> {
    await this.#monitor.stop();
  }

  #observe({ uid = '', namespace = '' }: ObjectMeta): void {
    if (this.#namespaces.has(uid)) return;
    this.#namespaces.set(uid, namespace);
    this.#add(namespace, 1);
  }

  #remove(uid: string): void {
    const namespace = this.#namespaces.get(uid);
    if (namespace === undefined) return;
    this.#namespaces.delete(uid);
    this.#add(namespace, -1);
  }

  #add(namespace: string, change: number): void {
    const count = this.count(namespace) + change;
    if (count === 0) this.#counts.delete(namespace);
    else this.#counts.set(namespace, count);
    this.#changed(namespace);
  }
}
