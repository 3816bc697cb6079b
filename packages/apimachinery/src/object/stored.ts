import type { ObjectMeta } from './kubernetes-object.ts';

declare const storedFields: unique symbol;

/**
 * Metadata of a kind. `Fields` names the fields that every stored object of the kind has in addition to a name, a UID, a resource
 * version and a creation time; {@link Stored} makes them required.
 *
 * Built-in kinds and kinds from `defineKind` use this type, so code that reads their objects need not check for missing
 * fields.
 */
export interface KindMeta<Fields extends 'namespace' | 'generation' = never> extends ObjectMeta {
  /** Type-level only. */
  readonly [storedFields]?: Fields;
}

/** Metadata of a kind whose objects are computed, not stored: the objects may have no name, UID or version. */
export interface ComputedMeta extends ObjectMeta {
  /** Type-level only. */
  readonly [storedFields]?: 'computed';
}

/**
 * An object as the API server returns it: `T` with server-set metadata. `name`, `uid`, `resourceVersion` and
 * `creationTimestamp` are required, and so are `namespace` for namespaced kinds and `generation` for kinds that have one.
 *
 * Every `Stored<T>` is a `T`. Objects that were never stored keep their optional fields: objects you build, pod templates,
 * objects passed to mutating webhooks, projections, and computed kinds such as `TokenReview`.
 *
 * @example
 * ```ts
 * function serviceFor({ metadata: { name, namespace } }: Stored<Deployment>): Service {
 *   return Service({ metadata: { name, namespace }, spec: { selector: { app: name } } }); // both are strings
 * }
 * ```
 */
export type Stored<T> = T & { readonly metadata: StoredMeta<MetadataOf<T>> };

/** The metadata of a stored object, derived from the kind's metadata type `M`; see {@link Stored}. */
export type StoredMeta<M> =
  'computed' extends FieldsOf<M>
    ? unknown
    : { readonly [F in 'name' | 'uid' | 'resourceVersion' | 'creationTimestamp']: string } & {
        readonly [F in Extract<FieldsOf<M>, 'namespace'>]: string;
      } & { readonly [F in Extract<FieldsOf<M>, 'generation'>]: number };

type MetadataOf<T> = T extends { readonly metadata: infer M } ? M : never;

// For metadata without the marker, `F` is `unknown`, so only the fields that all stored objects have are required.
type FieldsOf<M> = M extends { readonly [storedFields]?: infer F } ? (unknown extends F ? never : F) : never;
