import type { KubernetesObject } from '../object/kubernetes-object.ts';
import type { Stored } from '../object/stored.ts';

/**
 * Completes an object's metadata as an API server would, for unit tests of functions that take stored objects. Fields that
 * the object sets are kept; the name defaults to `unnamed`, the namespace to `default`, the generation and version to 1.
 *
 * @example
 * ```ts
 * expect(podFor(stored(Postgresql({ metadata: { name: 'mydb' }, spec })))).toMatchObject({ metadata: { name: 'mydb' } });
 * ```
 */
export function stored<T extends KubernetesObject>(object: T): Stored<T> {
  const { name = 'unnamed', namespace = 'default' } = object.metadata;
  const set = { name, namespace, uid: `uid-of-${name}`, resourceVersion: '1', generation: 1 };
  const metadata = { ...set, creationTimestamp: '2026-01-01T00:00:00Z', ...object.metadata };
  return { ...object, metadata } as unknown as Stored<T>; // `set` has every field that a stored object of any kind has
}
