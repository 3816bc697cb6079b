import type { Position } from '../problem.ts';
import type { TagPlace } from '../tags/tag.ts';

/** A tag of a documentation comment: `@minLength 3`. */
export interface DocTag {
  readonly name: string;
  /** The text between the name and the next tag. May contain line feeds. */
  readonly text: string;
  readonly at: Position;
}

/** A documentation comment and its location. */
export interface Docs {
  readonly place: TagPlace;
  readonly description: string;
  readonly tags: readonly DocTag[];
}

interface Base {
  readonly at: Position;
  /** The comments that apply to this value, innermost first: of the alias, the interface, the field. */
  readonly docs: readonly Docs[];
  readonly nullable?: boolean;
}

/** A field of an object. */
export interface FieldModel {
  readonly name: string;
  readonly optional: boolean;
  readonly type: TypeModel;
  readonly at: Position;
}

/** The JSON form of a TypeScript type. Problems with the type have already been reported. */
export type TypeModel = Base &
  (
    | { readonly type: 'string' | 'number' | 'boolean' | 'intOrString' | 'unknown' | 'embeddedResource' }
    /** `number | bigint`: a 64-bit integer. */
    | { readonly type: 'int64' }
    | { readonly type: 'literals'; readonly values: readonly (string | number | boolean)[] }
    | { readonly type: 'array'; readonly items: TypeModel }
    | { readonly type: 'map'; readonly values: TypeModel }
    | { readonly type: 'object'; readonly fields: readonly FieldModel[] }
    /** A Kubernetes type, or the type of one of its fields. */
    | { readonly type: 'builtin'; readonly definition: string; readonly field?: string }
    /**
     * A type that JSON cannot represent. The type has already been reported, so no further problems are reported for
     * it.
     */
    | { readonly type: 'broken' }
  );
