import type { Position } from '../problem.ts';
import type { TagPlace } from '../tags/tag.ts';

/** A tag of a documentation comment: `@minLength 3`. */
export interface DocTag {
  readonly name: string;
  /** The text after the name, up to the next tag; lines joined by line feeds. */
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
  /** Comments that apply to this value, the outermost last: of an alias, of an interface, of the field. */
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

/** A TypeScript type, as far as JSON can represent it. Problems were reported when the type was read. */
export type TypeModel = Base &
  (
    | { readonly type: 'string' | 'number' | 'boolean' | 'intOrString' | 'unknown' | 'embeddedResource' }
    /** `number | bigint`, the type of integers of 64 bits. */
    | { readonly type: 'int64' }
    | { readonly type: 'literals'; readonly values: readonly (string | number | boolean)[] }
    | { readonly type: 'array'; readonly items: TypeModel }
    | { readonly type: 'map'; readonly values: TypeModel }
    | { readonly type: 'object'; readonly fields: readonly FieldModel[] }
    /** A Kubernetes type, or a field of one. */
    | { readonly type: 'builtin'; readonly definition: string; readonly field?: string }
    /** Already reported; no further problems are reported for it. */
    | { readonly type: 'broken' }
  );
