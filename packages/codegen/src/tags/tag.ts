import type { Draft, ValueType } from '../types/draft.ts';

/** The form of a tag's argument. */
export type TagArgument =
  | 'none'
  | 'number'
  | 'count'
  | 'text'
  | 'names'
  | 'json'
  | 'list'
  | 'url'
  | 'sub'
  | 'numberOrNone';

/** Where a tag can stand. */
export type TagPlace = 'field' | 'type' | 'kind';

/** One use of a tag. */
export interface TagUse {
  /** The text after the tag's name. */
  readonly text: string;
  /** The type of the value that the tag describes. */
  readonly valueType: ValueType;
  /** Reports an invalid argument. */
  readonly wrong: (why: string) => void;
  /** Called for immutable fields, because their object needs a rule too. */
  readonly immutable: (draft: Draft) => void;
}

/** Changes the schema of a value as a tag says. */
export type TagEffect = (draft: Draft, use: TagUse) => void;

/** A tag: where it is allowed, its argument, and its effect on the schema. */
export interface TagDefinition {
  readonly name: string;
  /** The schema field that it sets, or a description of its effect if it sets several. */
  readonly key: string;
  readonly argument: TagArgument;
  /** Types of values that it applies to; all if undefined. */
  readonly on?: readonly ValueType[];
  /** @defaultValue fields and types */
  readonly places?: readonly TagPlace[];
  /** The equivalent kubebuilder markers. */
  readonly markers: readonly string[];
  /** Tags of one family have the same meaning for different types of values; one is suggested instead of another. */
  readonly family?: 'least' | 'most' | 'collection' | 'form';
  /** True if it changes the type of the value: such tags apply first, because the type decides where others are allowed. */
  readonly setsType?: boolean;
  /** True if it states the type of a number; a number without such a tag is an error. */
  readonly setsNumberType?: boolean;
  readonly apply: TagEffect;
}
