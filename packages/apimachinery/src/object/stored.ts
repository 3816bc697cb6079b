import type { ObjectMeta } from './kubernetes-object.ts';

declare const storedFields: unique symbol;

/**
 * Metadata of a kind. `Fields` names what every stored object of the kind has besides a name, a uid, a resource version and
 * a creation time; {@link Stored} makes those fields required.
 *
 * Built-in kinds and those of `defineKind` use it, so reads of them need no checks for missing fields.
 */
export interface KindMeta<Fields extends 'namespace' | 'generation' = never> extends ObjectMeta {
  /** Exists in the type only. */
  readonly [storedFields]?: Fields;
}

/** Metadata of a kind whose objects are computed, not stored: they may have no name, uid or version. */
export interface ComputedMeta extends ObjectMeta {
  /** Exists in the type only. */
  readonly [storedFields]?: 'computed';
}

/**
 * An object as the API server returns it: `T` with the metadata that the server sets. `name`, `uid`, `resourceVersion` and
 * `creationTimestamp` are required, and so are `namespace` for namespaced kinds and `generation` for kinds that have one.
 *
 * Every `Stored<T>` is a `T`. Objects that were never stored keep their optional fields: those you build, pod templates,
 * what a mutating webhook receives, projections, and computed kinds such as `TokenReview`.
 *
 * @example
 * ```ts
 * function serviceFor({ metadata: { name, namespace } }: Stored<Deployment>): Service {
 *   return Service({ metadata: { name, namespace }, spec: { selector: { app: name } } }); // both are strings
 * }
 * ```
 */
export type Stored<T> = T & { readonly metadata: StoredMeta<MetadataOf<T>> };

/** The metadata of a stored object, given that of its kind; see {@link Stored}. */
export type StoredMeta<M> =
  'computed' extends FieldsOf<M>
    ? unknown
    : { readonly [F in 'name' | 'uid' | 'resourceVersion' | 'creationTimestamp']: string } & {
        readonly [F in Extract<FieldsOf<M>, 'namespace'>]: string;
      } & { readonly [F in Extract<FieldsOf<M>, 'generation'>]: number };

type MetadataOf<T> = T extends { readonly metadata: infer M } ? M : never;

// Metadata without the marker infers `unknown`: of such a kind only the fields that all stored objects have are known.
type FieldsOf<M> = M extends { readonly [storedFields]?: infer F } ? (unknown extends F ? never : F) : never;
