import type { KubernetesObject, Stored } from '@kubewright/apimachinery';

/** Completes an object's metadata as an API server would have, for tests of functions that take stored objects. */
export function stored<T extends KubernetesObject>(object: T): Stored<T> {
  const { name = 'unnamed', namespace = 'default' } = object.metadata;
  const set = { name, namespace, uid: `uid-of-${name}`, resourceVersion: '1', generation: 1 };
  const metadata = { ...set, creationTimestamp: '2026-01-01T00:00:00Z', ...object.metadata };
  return { ...object, metadata } as unknown as Stored<T>; // `set` has every field that any kind's objects have
}
