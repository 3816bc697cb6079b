import type { FieldError } from '@kubewright/apimachinery';
import type { Strategy } from '@kubewright/apiserver';
import type { Conversion, StrategyContext } from '@kubewright/apiserver/internal';
import type { ScaleSubresource } from './subresources.ts';

/** The strategy of one kind, typed with that kind. {@link Strategy} says when each function runs. */
export interface KindStrategy<T> {
  prepareForCreate?(object: T, context: StrategyContext): void;
  prepareForUpdate?(object: T, old: T, context: StrategyContext): void;
  validate?(object: T, context: StrategyContext): readonly FieldError[];
  validateUpdate?(object: T, old: T, context: StrategyContext): readonly FieldError[];
  warnings?(object: T, old: T | undefined): readonly string[];
  validateName?(name: string): readonly string[];
  gracefulSeconds?(object: T, requested: number | bigint | undefined): number | bigint | undefined;
  abandon?(object: T): void;
}

/**
 * Controls how writes through the main resource treat `status`: reset on create and kept on update, only kept on
 * update, or taken from the request.
 */
export type StatusHandling = 'reset' | 'kept-on-update' | 'free';

/** The definition of one built-in kind. Names, scope, verbs and columns come from the type table. */
export interface BuiltinKind<T = never> {
  /** `group/version/resource`. The core group is empty: `/v1/pods`. */
  readonly resource: string;
  /** The structure's name in the table of wire shapes: `appsv1.Deployment`. */
  readonly struct: string;
  /** @defaultValue 'none' */
  readonly generation?: Strategy['generation'];
  /**
   * True if an empty list or map that replaces an absent one increases the generation: upstream compares a few kinds with
   * `reflect.DeepEqual`, and all others with `Semantic.DeepEqual`, which does not distinguish the two. @defaultValue false
   */
  readonly generationSeesEmpty?: boolean;
  /** See {@link Strategy.validatesMetadataLast}. */
  readonly validatesMetadataLast?: boolean;
  /** @defaultValue 'reset' for kinds with a status subresource, else 'free' */
  readonly status?: StatusHandling;
  /** @defaultValue true */
  readonly allowUnconditionalUpdate?: boolean;
  /** @defaultValue false */
  readonly allowCreateOnUpdate?: boolean;
  readonly garbageCollection?: Strategy['garbageCollection'];
  readonly defaultPropagation?: Strategy['defaultPropagation'];
  readonly defaultPropagationWarning?: Strategy['defaultPropagationWarning'];
  /** See {@link Strategy.resets}. */
  readonly resets?: Strategy['resets'];
  readonly strategy?: KindStrategy<T>;
  /** The strategies of the subresources that change a part of the object, by name. `status` is always defined. */
  readonly subresources?: Readonly<Record<string, SubresourceStrategy<T>>>;
  readonly scale?: ScaleSubresource;
  readonly fieldLabels?: Readonly<Record<string, (object: T) => string>>;
  readonly conversion?: Conversion;
  /**
   * True if a decoded object is converted to the stored version and back. Upstream does this for every object, which matters if the
   * conversion derives fields from others. @defaultValue false
   */
  readonly convertsOnDecode?: boolean;
  /** The stored API version, if it differs from the version in `resource`. */
  readonly storageApiVersion?: string;
  /** Fills in the defaults of new objects that upstream does not store. Upstream stores them with the first update. */
  readonly addStoredDefaults?: (object: T) => void;
  /** See {@link ResourceDefinition.claims}. */
  readonly claims?: (object: T) => readonly string[];
  /** See {@link ResourceDefinition.ttlSeconds}. */
  readonly ttlSeconds?: number;
  /** See {@link ResourceDefinition.conversionAnnotations}. */
  readonly conversionAnnotations?: readonly string[];
}

/**
 * The strategy of a subresource. Before its functions run, all fields that the subresource does not own are restored from the
 * stored object.
 */
export interface SubresourceStrategy<T> extends KindStrategy<T> {
  /** Root fields that a write through this subresource may change. @defaultValue ['status'] */
  readonly owns?: readonly string[];
  /**
   * See {@link Strategy.resets}.
   *
   * @defaultValue spec and metadata for a status subresource that keeps the metadata
   */
  readonly resets?: Strategy['resets'];
  /** See {@link Strategy.allowCreateOnApply}. */
  readonly allowCreateOnApply?: boolean;
  /** True if the metadata, except managed fields, keeps its stored value. @defaultValue false */
  readonly keepsMetadata?: boolean;
}

/**
 * Defines a kind with its own type and then erases the type. The cast is safe, because the registry passes each
 * strategy only objects of its kind.
 */
export function builtinKind<T>(kind: BuiltinKind<T>): BuiltinKind {
  return kind as unknown as BuiltinKind;
}
