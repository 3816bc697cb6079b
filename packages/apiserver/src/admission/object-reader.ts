import { Buffer } from 'node:buffer';
import type { KubernetesObject } from '@kubewright/apimachinery';
import { parseExactJson } from '@kubewright/apimachinery/internal';
import { storagePrefix } from '../registry/storage-prefix.ts';
import { type Storage, withRevision } from '../storage/index.ts';

/** The location of a stored object of a built-in kind. */
export interface ObjectLocation {
  readonly group: string;
  readonly resource: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** Reads an object for a server-side decision, without authorization; `undefined` if it does not exist. */
export type ReadObject = (location: ObjectLocation) => Promise<KubernetesObject | undefined>;

/**
 * Returns a function that reads objects directly from storage. Decoded objects are cached as long as the stored bytes
 * are in memory, because every request of a service account reads that account. Callers share the cached objects and
 * must never modify them.
 */
export function storedObjectReader(storage: Storage): ReadObject {
  const decoded = new WeakMap<Uint8Array, KubernetesObject>();
  return async ({ group, resource, namespace, name }) => {
    const prefix = storagePrefix({ group, resource });
    const stored = await storage.get(namespace === undefined ? prefix + name : `${prefix}${namespace}/${name}`);
    if (stored === undefined) return undefined;
    let object = decoded.get(stored.bytes);
    if (object === undefined) {
      // Only API objects are stored.
      object = parseExactJson(Buffer.from(withRevision(stored)).toString('utf8')) as KubernetesObject;
      decoded.set(stored.bytes, object);
    }
    return object;
  };
}
