import type { FieldError } from '@kubewright/apimachinery';
import type { Conversion, ScaleSubresource } from '../registry/resource-definition.ts';
import type { Strategy, StrategyContext } from '../registry/strategy.ts';

/** What a strategy of one kind may do, with that kind's own type; see {@link Strategy} for when each part runs. */
export interface KindStrategy<T> {
  prepareForCreate?(object: T, context: StrategyContext): void;
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  validate?(object: T, context: StrategyContext): readonly FieldError[];
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
  warnings?(object: T, old: T | undefined): readonly string[];
  validateName?(name: string): readonly string[];
  gracefulSeconds?(object: T, asked: number | undefined): number | undefined;
  abandon?(object: T): void;
}

/** How the main endpoint treats `status`: gives it a fresh one and keeps the stored one, or takes what is sent. */
export type StatusHandling = 'reset' | 'kept-on-update' | 'free';

/** What is particular to one built-in kind. Names, scope, verbs and columns come from the type table. */
export interface BuiltinKind<T = never> {
  /** `group/version/resource`; the core group is empty: `/v1/pods`. */
  readonly resource: string;
  /** The structure in the table of wire shapes: `appsv1.Deployment`. */
  readonly struct: string;
  /** @defaultValue 'none' */
  readonly generation?: Strategy['generation'];
  /** @defaultValue 'reset' for kinds with a status subresource, else 'free' */
  readonly status?: StatusHandling;
  /** @defaultValue true */
  readonly allowUnconditionalUpdate?: boolean;
  /** @defaultValue false */
  readonly allowCreateOnUpdate?: boolean;
  readonly defaultPropagation?: Strategy['defaultPropagation'];
  readonly unsaidPropagationWarning?: string;
  /** See {@link Strategy.resets}. */
  readonly resets?: Strategy['resets'];
  readonly strategy?: KindStrategy<T>;
  /** Views through which only part of the object changes, by subresource name; `status` exists without being named. */
  readonly views?: Readonly<Record<string, KindView<T>>>;
  readonly scale?: ScaleSubresource;
  readonly fieldLabels?: Readonly<Record<string, (object: T) => string>>;
  readonly conversion?: Conversion;
  /** Where the stored form is another version's. */
  readonly storageApiVersion?: string;
  /** Where objects are stored under another resource's prefix: `/registry/events/`. */
  readonly storagePrefix?: string;
}

/** A view's rules. Everything but the fields it owns is taken from the stored object first. */
export interface KindView<T> extends KindStrategy<T> {
  /** Root fields that a write through this view may change. @defaultValue ['status'] */
  readonly owns?: readonly string[];
  /**
   * See {@link Strategy.resets}.
   *
   * @defaultValue spec and metadata for a status view that keeps the metadata
   */
  readonly resets?: Strategy['resets'];
  /** Whether labels, annotations and the like stay as they are stored. @defaultValue false */
  readonly keepsMetadata?: boolean;
}

/** Defines a kind with its own type and forgets the type: the registry hands each strategy objects of its kind only. */
export function builtinKind<T>(kind: BuiltinKind<T>): BuiltinKind {
  return kind as unknown as BuiltinKind;
}
