import { Buffer } from 'node:buffer';
import type { Storage } from '@kubewright/apiserver';
import { followStorage, type StoredObject, storagePrefix } from '@kubewright/apiserver/internal';
import { Claims } from './claims.ts';
import {
  claimNames,
  configMapNames,
  isMirrorPod,
  type ReferringPod,
  resourceClaimNames,
  secretNames,
} from './pod-references.ts';
import { type ReferringVolume, volumeSecrets } from './volume-secrets.ts';

/** A kind of object that may be related to a node. */
export type RelatedKind =
  | 'configmap'
  | 'persistentvolume'
  | 'persistentvolumeclaim'
  | 'pod'
  | 'resourceclaim'
  | 'resourceslice'
  | 'secret'
  | 'serviceaccount'
  | 'volumeattachment';

const pods = storagePrefix({ group: '', resource: 'pods' });
const volumes = storagePrefix({ group: '', resource: 'persistentvolumes' });
const attachments = storagePrefix({ group: 'storage.k8s.io', resource: 'volumeattachments' });
const slices = storagePrefix({ group: 'resource.k8s.io', resource: 'resourceslices' });

/**
 * Tracks the objects related to each node: its pods, the objects that these pods refer to, the volumes bound to the
 * pods' claims, the secrets of these volumes, and objects that name the node. Mirrors the graph of upstream's node
 * authorizer (1.36).
 *
 * Follows the storage. The next query applies the changes since the last query, once per changed object. The cost of a
 * query does not depend on unrelated objects.
 */
export class NodeGraph implements Disposable {
  /** Changes since the last query, by key. */
  readonly #changed = new Map<string, StoredObject | undefined>();
  /** Nodes by related object, such as `secret/<namespace>/<name>`. */
  readonly #related = new Claims();
  /** Names of volumes, by secret. */
  readonly #volumes = new Claims();
  /** Claims by volume name. */
  readonly #claimOf = new Map<string, string>();
  readonly #subscriptions: Disposable[] = [];

  /** Reads the stored objects, then follows their changes. */
  async start(storage: Storage): Promise<void> {
    for (const prefix of [pods, volumes, attachments, slices]) {
      const apply = ({ key, current }: { readonly key: string; readonly current: StoredObject | undefined }): void =>
        void this.#changed.set(key, current);
      this.#subscriptions.push(await followStorage(storage, { prefix, apply }));
    }
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  /** True if an object is related to a node. `namespace` is empty for cluster-scoped kinds. */
  isRelated(
    node: string,
    object: { readonly kind: RelatedKind; readonly namespace: string; readonly name: string },
  ): boolean {
    this.#catchUp();
    const { kind, namespace, name } = object;
    if (kind === 'persistentvolume') return this.#reaches(node, name);
    if (this.#related.has(`${kind}/${namespace}/${name}`, node)) return true;
    if (kind !== 'secret') return false;
    return this.#volumes.of(`${namespace}/${name}`).some((volume) => this.#reaches(node, volume));
  }

  /** True if a node runs a pod that uses the claim bound to a volume. */
  #reaches(node: string, volume: string): boolean {
    const claim = this.#claimOf.get(volume);
    return claim !== undefined && this.#related.has(`persistentvolumeclaim/${claim}`, node);
  }

  #catchUp(): void {
    for (const [key, stored] of this.#changed) {
      this.#changed.delete(key);
      // Remove the old relations first, so that none remain if the new object cannot be parsed.
      this.#forget(key);
      if (stored) this.#take(key, JSON.parse(Buffer.from(stored.bytes).toString('utf8')));
    }
  }

  #forget(key: string): void {
    this.#related.drop(key);
    this.#volumes.drop(key);
    if (key.startsWith(volumes)) this.#claimOf.delete(key.slice(volumes.length));
  }

  #take(key: string, object: unknown): void {
    // The server stores only objects of these resources under these prefixes.
    if (key.startsWith(pods)) this.#takePod(key, object as ReferringPod);
    else if (key.startsWith(volumes)) this.#takeVolume(key, object as ReferringVolume);
    else {
      const { spec } = object as { readonly spec?: { readonly nodeName?: string | null } };
      const kind = key.startsWith(slices) ? 'resourceslice' : 'volumeattachment';
      const name = key.slice(key.lastIndexOf('/') + 1);
      if (spec?.nodeName) this.#related.put(key, [`${kind}//${name}`], spec.nodeName);
    }
  }

  #takePod(key: string, pod: ReferringPod): void {
    const node = pod.spec?.nodeName;
    if (!node) return;
    const { namespace, name } = pod.metadata;
    const related = (kind: RelatedKind, names: readonly string[]) =>
      names.map((each) => `${kind}/${namespace}/${each}`);
    // A node creates its mirror pods itself, so mirror pods must not give the node access to anything.
    const references = isMirrorPod(pod)
      ? []
      : [
          ...related('serviceaccount', pod.spec?.serviceAccountName ? [pod.spec.serviceAccountName] : []),
          ...related('secret', secretNames(pod)),
          ...related('configmap', configMapNames(pod)),
          ...related('persistentvolumeclaim', claimNames(pod)),
          ...related('resourceclaim', resourceClaimNames(pod)),
        ];
    this.#related.put(key, [`pod/${namespace}/${name}`, ...references], node);
  }

  #takeVolume(key: string, volume: ReferringVolume): void {
    const name = key.slice(volumes.length);
    const { claimRef } = volume.spec ?? {};
    if (!claimRef) return;
    this.#claimOf.set(name, `${claimRef.namespace}/${claimRef.name}`);
    this.#volumes.put(key, volumeSecrets(volume), name);
  }
}
