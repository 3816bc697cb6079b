import { Buffer } from 'node:buffer';
import type { KubernetesObject } from '@kubewright/apimachinery';
import type { Storage } from '../../storage/storage.ts';

/** Where a stored object of a built-in kind is found. */
export interface ObjectLocation {
  readonly group: string;
  readonly resource: string;
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string;
  readonly name: string;
}

/** Reads an object for a server-side decision, past authorization; `undefined` when it is not there. */
export type ReadObject = (location: ObjectLocation) => Promise<KubernetesObject | undefined>;

/**
 * Reads stored objects straight from storage. Every request asks for its account, so what was decoded is kept as long as
 * the stored bytes live; it is shared and never to be modified.
 */
export function storedObjectReader(storage: Storage): ReadObject {
  const decoded = new WeakMap<Uint8Array, KubernetesObject>();
  return async ({ group, resource, namespace, name }) => {
    const prefix = `/registry/${group === '' ? '' : `${group}/`}${resource}/`;
    const stored = await storage.get(namespace === undefined ? prefix + name : `${prefix}${namespace}/${name}`);
    if (stored === undefined) return undefined;
    let object = decoded.get(stored.bytes);
    if (object === undefined) {
      // What the server stored is an object.
      object = JSON.parse(Buffer.from(stored.bytes).toString('utf8')) as KubernetesObject;
      decoded.set(stored.bytes, object);
    }
    return object;
  };
}
