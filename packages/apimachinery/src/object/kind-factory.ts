import { apiVersionOf, type Kind, type KindDescriptor } from './kinds.ts';
import type { ObjectMeta } from './kubernetes-object.ts';
import type { Stored } from './stored.ts';

/**
 * The argument of a kind's factory: an object without status and without `apiVersion` and `kind`, which the factory adds. Objects
 * that are never stored, such as a `TokenReview`, need no metadata.
 *
 * @example
 * ```ts
 * const settings: KindInit<ConfigMap> = { metadata: { name: 'settings' }, data: { color: 'blue' } };
 * const configMap = ConfigMap(settings);
 * ```
 */
export type KindInit<T> =
  Stored<T> extends { readonly metadata: { readonly name: string } }
    ? Omit<T, 'apiVersion' | 'kind' | 'status'>
    : Omit<T, 'apiVersion' | 'kind' | 'status' | 'metadata'> & { readonly metadata?: ObjectMeta };

/**
 * A kind that can also create its objects: `ConfigMap({ metadata: { name }, data })` is a `ConfigMap` with `apiVersion` and
 * `kind` filled in.
 *
 * @example
 * ```ts
 * const named = <T>(kind: KindFactory<T>, init: (name: string) => KindInit<T>, names: readonly string[]): readonly T[] =>
 *   names.map((name) => kind(init(name)));
 * const configs = named(ConfigMap, (name) => ({ metadata: { name } }), ['a', 'b']);
 * ```
 */
export interface KindFactory<T> extends Kind<T> {
  /** Creates an object in memory; sends nothing. */
  (init: KindInit<T>): T;
  /** Returns the kind as plain data, for `JSON.stringify` and logs. */
  toJSON(): KindDescriptor;
}

/**
 * Creates the factory of a kind from its description. The description's fields become properties of the factory.
 *
 * Built-in kinds use it; use `defineKind` of `@kubewright/runtime` for your own kinds.
 *
 * @example
 * ```ts
 * const Lamp = kindFactory<Lamp>({
 *   group: 'example.com', version: 'v1', kind: 'Lamp', plural: 'lamps', scope: 'Namespaced',
 * });
 * const lamp = Lamp({ metadata: { name: 'desk' }, spec: { on: true } });
 * ```
 */
/* @__NO_SIDE_EFFECTS__ */
export function kindFactory<T, D extends KindDescriptor = KindDescriptor>(description: D): KindFactory<T> & D {
  const { kind } = description;
  const apiVersion = apiVersionOf(description);
  const type = { apiVersion, kind };
  const create = (init: object): object => {
    rejectOtherType(init, apiVersion, kind);
    // Puts the type first in the output, and again last, so that an undefined `apiVersion` or `kind` in `init` does not
    // replace it.
    return { ...type, metadata: {}, ...init, ...type };
  };
  const hidden = { name: { value: kind }, toJSON: { value: () => description } };
  // The cast is safe: `create` adds the fields that `KindInit<T>` lacks compared with `T`.
  return Object.freeze(
    Object.assign(Object.defineProperties(create, hidden), description),
  ) as unknown as KindFactory<T> & D;
}

/** Rejects an object of another type at run time, for callers in JavaScript. */
function rejectOtherType(init: object, apiVersion: string, kind: string): void {
  const given: { readonly apiVersion?: unknown; readonly kind?: unknown } = init;
  if ((given.apiVersion ?? apiVersion) === apiVersion && (given.kind ?? kind) === kind) return;
  const other = `${given.kind ?? kind} of ${given.apiVersion ?? apiVersion}`;
  throw new TypeError(`${kind}(…) creates objects of kind ${kind} of ${apiVersion}, got ${other}`);
}
