import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { ConfigMap, type Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { type ObjectReference, podReferences } from './pod-references.ts';
import { WatchedObject } from './watched-object.ts';

/** Options for {@link WatchedObjects}. */
export interface WatchedObjectsOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the uids of the pods that refer to a changed object. */
  readonly changed: (podUids: readonly string[]) => void;
}

interface Watched {
  readonly object: WatchedObject<KubernetesObject>;
  readonly pods: Set<string>;
}

/**
 * The config maps and secrets that a node's pods refer to, each watched by name as long as a pod needs it. The node cannot read
 * other config maps and secrets. Mirrors the kubelet's watch-based managers (1.36).
 */
export class WatchedObjects implements Disposable {
  readonly #options: WatchedObjectsOptions;
  readonly #watched = new Map<string, Watched>();
  readonly #keysOf = new Map<string, readonly string[]>();

  constructor(options: WatchedObjectsOptions) {
    this.#options = options;
  }

  configMap(namespace: string, name: string): ConfigMap | undefined {
    // Objects under this key are config maps.
    return this.#watched.get(keyOf({ kind: 'ConfigMap', namespace, name }))?.object.object as ConfigMap | undefined;
  }

  secret(namespace: string, name: string): Secret | undefined {
    return this.#watched.get(keyOf({ kind: 'Secret', namespace, name }))?.object.object as Secret | undefined;
  }

  /** Watches the objects that a pod refers to. Returns undefined if all of them have been read, otherwise a promise to await. */
  registerPod(pod: Pod): Promise<unknown> | undefined {
    const { uid = '' } = pod.metadata;
    const before = this.#keysOf.get(uid) ?? [];
    const references = podReferences(pod);
    const keys = references.map(keyOf);
    this.#keysOf.set(uid, keys);
    const wanted = new Set(keys);
    for (const key of before) if (!wanted.has(key)) this.#release(key, uid);
    const fresh = references.filter((reference) => this.#need(reference, uid));
    return fresh.length === 0 ? undefined : Promise.all(keys.map((key) => this.#watched.get(key)?.object.ready));
  }

  /** Stops watching the objects that only this pod needed. */
  unregisterPod(podUid: string): void {
    for (const key of this.#keysOf.get(podUid) ?? []) this.#release(key, podUid);
    this.#keysOf.delete(podUid);
  }

  [Symbol.dispose](): void {
    for (const { object } of this.#watched.values()) object[Symbol.dispose]();
    this.#watched.clear();
    this.#keysOf.clear();
  }

  /** Records that a pod needs an object. Returns true if the pod did not need it before. */
  #need(reference: ObjectReference, podUid: string): boolean {
    const key = keyOf(reference);
    const known = this.#watched.get(key);
    if (known?.pods.has(podUid)) return false;
    if (known) known.pods.add(podUid);
    else this.#watched.set(key, { object: this.#start(reference), pods: new Set([podUid]) });
    return true;
  }

  #start(reference: ObjectReference): WatchedObject<KubernetesObject> {
    const { client, clock, log, changed } = this.#options;
    const { kind, namespace, name } = reference;
    return new WatchedObject<KubernetesObject>({
      kind: kind === 'Secret' ? Secret : ConfigMap,
      namespace,
      name,
      client,
      clock,
      log,
      changed: () => changed([...(this.#watched.get(keyOf(reference))?.pods ?? [])]),
    });
  }

  #release(key: string, podUid: string): void {
    const watched = this.#watched.get(key);
    watched?.pods.delete(podUid);
    if (watched?.pods.size !== 0) return;
    this.#watched.delete(key);
    watched.object[Symbol.dispose]();
  }
}

function keyOf({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}
