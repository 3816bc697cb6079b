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

/** The kind of declaration that a tag is allowed on. */
export type TagPlace = 'field' | 'type' | 'kind';

export interface TagUse {
  /** The tag's argument: the text after its name. */
  readonly text: string;
  /** The type of the value that the tag describes. */
  readonly valueType: ValueType;
  /** Reports an invalid argument. */
  readonly wrong: (why: string) => void;
  /** Called for immutable fields, because the object that contains them needs a rule, too. */
  readonly immutable: (draft: Draft) => void;
}

/** Applies a tag to the schema of a value. */
export type TagEffect = (draft: Draft, use: TagUse) => void;

/** A tag: where it is allowed, its argument, and its effect on the schema. */
export interface TagDefinition {
  readonly name: string;
  /** The schema keyword that the tag sets, or a description of its effect if it sets several. */
  readonly key: string;
  readonly argument: TagArgument;
  /** The types of values that the tag is valid for; all types if undefined. */
  readonly on?: readonly ValueType[];
  /** @defaultValue fields and types */
  readonly places?: readonly TagPlace[];
  /** The equivalent kubebuilder markers. */
  readonly markers: readonly string[];
  /**
   * Tags of one family have the same meaning for different types of values, so one of them can be suggested instead of
   * another.
   */
  readonly family?: 'least' | 'most' | 'collection' | 'form';
  /**
   * True if the tag sets the type of the value. Such tags are applied first, because the type decides which other tags are
   * valid.
   */
  readonly setsType?: boolean;
  /** True if the tag specifies the type of a number. A number without such a tag is an error. */
  readonly setsNumberType?: boolean;
  readonly apply: TagEffect;
}
