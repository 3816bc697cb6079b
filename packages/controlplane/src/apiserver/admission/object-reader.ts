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

/** Reads stored objects straight from storage. */
export function storedObjectReader(storage: Storage): ReadObject {
  return async ({ group, resource, namespace, name }) => {
    const prefix = `/registry/${group === '' ? '' : `${group}/`}${resource}/`;
    const stored = await storage.get(namespace === undefined ? prefix + name : `${prefix}${namespace}/${name}`);
    // What the server stored is an object.
    return stored && (JSON.parse(Buffer.from(stored.bytes).toString('utf8')) as KubernetesObject);
  };
}
