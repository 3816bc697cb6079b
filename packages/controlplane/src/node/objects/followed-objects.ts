import type { Clock, KubernetesObject } from '@kubewright/apimachinery';
import { ConfigMap, type Pod, Secret } from '@kubewright/apimachinery/core/v1';
import type { KubernetesClient } from '@kubewright/client';
import type { Logger } from '@kubewright/runtime';
import { FollowedObject } from './followed-object.ts';
import { type ObjectReference, podReferences } from './pod-references.ts';

/** Options for {@link FollowedObjects}. */
export interface FollowedObjectsOptions {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with the uids of the pods that refer to a changed object. */
  readonly changed: (podUids: readonly string[]) => void;
}

interface Followed {
  readonly object: FollowedObject<KubernetesObject>;
  readonly pods: Set<string>;
}

/**
 * The config maps and secrets that a node's pods refer to, each followed by name as long as a pod needs it. The node cannot read
 * other config maps and secrets. Mirrors the kubelet's watch-based managers (1.36).
 */
export class FollowedObjects implements Disposable {
  readonly #options: FollowedObjectsOptions;
  readonly #followed = new Map<string, Followed>();
  readonly #keysOf = new Map<string, readonly string[]>();

  constructor(options: FollowedObjectsOptions) {
    this.#options = options;
  }

  configMap(namespace: string, name: string): ConfigMap | undefined {
    // Objects under this key are config maps.
    return this.#followed.get(keyOf({ kind: 'ConfigMap', namespace, name }))?.object.object as ConfigMap | undefined;
  }

  secret(namespace: string, name: string): Secret | undefined {
    return this.#followed.get(keyOf({ kind: 'Secret', namespace, name }))?.object.object as Secret | undefined;
  }

  /** Follows the objects that a pod refers to. Returns undefined if all of them have been read, otherwise a promise to await. */
  follow(pod: Pod): Promise<unknown> | undefined {
    const { uid = '' } = pod.metadata;
    const before = this.#keysOf.get(uid) ?? [];
    const references = podReferences(pod);
    const keys = references.map(keyOf);
    this.#keysOf.set(uid, keys);
    const wanted = new Set(keys);
    for (const key of before) if (!wanted.has(key)) this.#release(key, uid);
    const fresh = references.filter((reference) => this.#need(reference, uid));
    return fresh.length === 0 ? undefined : Promise.all(keys.map((key) => this.#followed.get(key)?.object.ready));
  }

  /** Stops following the objects that only this pod needed. */
  forget(podUid: string): void {
    for (const key of this.#keysOf.get(podUid) ?? []) this.#release(key, podUid);
    this.#keysOf.delete(podUid);
  }

  [Symbol.dispose](): void {
    for (const { object } of this.#followed.values()) object[Symbol.dispose]();
    this.#followed.clear();
    this.#keysOf.clear();
  }

  /** Records that a pod needs an object. Returns true if the pod did not need it before. */
  #need(reference: ObjectReference, podUid: string): boolean {
    const key = keyOf(reference);
    const known = this.#followed.get(key);
    if (known?.pods.has(podUid)) return false;
    if (known) known.pods.add(podUid);
    else this.#followed.set(key, { object: this.#start(reference), pods: new Set([podUid]) });
    return true;
  }

  #start(reference: ObjectReference): FollowedObject<KubernetesObject> {
    const { client, clock, log, changed } = this.#options;
    const { kind, namespace, name } = reference;
    return new FollowedObject<KubernetesObject>({
      kind: kind === 'Secret' ? Secret : ConfigMap,
      namespace,
      name,
      client,
      clock,
      log,
      changed: () => changed([...(this.#followed.get(keyOf(reference))?.pods ?? [])]),
    });
  }

  #release(key: string, podUid: string): void {
    const followed = this.#followed.get(key);
    followed?.pods.delete(podUid);
    if (followed?.pods.size !== 0) return;
    this.#followed.delete(key);
    followed.object[Symbol.dispose]();
  }
}

function keyOf({ kind, namespace, name }: ObjectReference): string {
  return `${kind}/${namespace}/${name}`;
}
