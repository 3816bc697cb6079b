import type { Clock, FieldError, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/**
 * A decoded object that a request is still processing. It is plain JSON and belongs to the request, so each step changes it in
 * place.
 *
 * @example
 * ```ts
 * function addTeam(object: Draft): void {
 *   object.metadata.labels = { team: 'unknown', ...object.metadata.labels };
 * }
 * ```
 */
export interface Draft {
  apiVersion: string;
  kind: string;
  metadata: DraftMetadata;
  [field: string]: unknown;
}

/** Metadata of a {@link Draft}: any field may be changed or removed. */
export interface DraftMetadata {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string | null;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  [field: string]: unknown;
}

/** The request and the environment, as passed to a strategy's functions. */
export interface StrategyContext {
  readonly user: UserInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the response. */
  warn(this: void, text: string): void;
}

/**
 * The kind-specific steps of a write. The registry does the work common to all kinds (names, UID, timestamps, generation,
 * finalizers, preconditions, managed fields). All functions are synchronous and change nothing but the draft. Mirrors the
 * strategies of k8s.io/apiserver, such as `rest.RESTCreateStrategy`.
 *
 * @example
 * ```ts
 * const strategy: Strategy = {
 *   generation: 'spec',
 *   allowUnconditionalUpdate: true,
 *   allowCreateOnUpdate: false,
 *   prepareForCreate: (flunder) => void delete flunder['status'],
 *   validateName: (name) => (name.length > 20 ? ['must be no more than 20 characters'] : []),
 * };
 * ```
 */
export interface Strategy {
  /** Fills in defaults. Runs on decoded requests and on reads of objects stored before a default existed. */
  applyDefaults?(object: Draft): void;
  /**
   * Clears fields that clients cannot set (status) and sets fields that the kind derives. Runs between mutating and
   * validating admission.
   */
  prepareForCreate?(object: Draft, context: StrategyContext): void;
  /**
   * Same as {@link prepareForCreate}, for updates; also copies from `old` the fields that this endpoint cannot change.
   */
  prepareForUpdate?(object: Draft, old: KubernetesObject, context: StrategyContext): void;
  /**
   * Undoes the prepare functions after a failed write: releases the values that they allocated, such as IP addresses. Called once
   * for each draft that is not stored because a prepare function, validation, admission or the storage rejected it. Mirrors the
   * cleanup after `BeginCreate` and `BeginUpdate` in upstream's `Store`.
   */
  abandon?(object: Draft): void;
  /** Returns every error in a new object, except in metadata. */
  validate?(object: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Returns every error in an updated object, except in metadata. `old` is the stored object. */
  validateUpdate?(object: KubernetesObject, old: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Normalizes a valid object before it is stored. Runs last, so the fields that it sets have no field manager. */
  prepareForStorage?(object: Draft): void;
  /** Returns the messages for the response's `Warning` headers. */
  warnings?(object: KubernetesObject, old: KubernetesObject | undefined): readonly string[];
  /**
   * Controls when `metadata.generateName` must be the start of a name that is valid for the kind. Otherwise, it only needs to be
   * the start of a part of a path. @defaultValue 'create'
   */
  readonly checksGenerateName?: 'never' | 'create' | 'always' | undefined;
  /** True if `metadata.finalizers` need no domain. @defaultValue false, but true for custom resources */
  readonly allowsPlainFinalizers?: boolean | undefined;
  /** Validates `metadata.name`. Returns the error messages. @defaultValue DNS-1123 subdomain */
  validateName?(name: string): readonly string[];
  /**
   * Controls when `metadata.generation` increases. `none`: never set. `spec`: starts at 1, increases when `spec`
   * changes. `object`: increases when anything changes except metadata and, if it is a subresource, status.
   * `object-or-labels`: also increases when labels change.
   */
  readonly generation: 'none' | 'spec' | 'object' | 'object-or-labels';
  /**
   * Compares a field with the stored field, to decide whether the generation increases. @defaultValue equality as JSON
   */
  isSame?(now: unknown, old: unknown): boolean;
  /** True if the metadata of a new object is validated only after everything else is valid (Events). @defaultValue false */
  readonly validatesMetadataLast?: boolean | undefined;
  /** True if PUT may omit the resourceVersion. */
  readonly allowUnconditionalUpdate: boolean;
  /** True if PUT creates a missing object. */
  readonly allowCreateOnUpdate: boolean;
  /** True if server-side apply to this subresource creates a missing object. @defaultValue false */
  readonly allowCreateOnApply?: boolean | undefined;
  /**
   * For kinds with graceful deletion (pods): returns the grace period to grant, given the requested period, or
   * `undefined` to delete immediately.
   */
  gracefulSeconds?(object: KubernetesObject, requested: number | bigint | undefined): number | bigint | undefined;
  /**
   * Changes an object when its deletion starts, for example to add a CRD's cleanup finalizer. Not called again during the
   * deletion.
   */
  prepareForDelete?(object: Draft, context: StrategyContext): void;
  /**
   * Controls how an object is marked while its deletion waits for finalizers. `timestamp`: only by its
   * deletionTimestamp (CRDs). `complete`: also by a grace period of zero and a new generation.
   *
   * @defaultValue 'complete'
   */
  readonly deletionMark?: 'timestamp' | 'complete';
  /**
   * False for kinds that never own other objects (Events): a deletion adds no finalizer for dependents. @defaultValue
   * true
   */
  readonly garbageCollection?: boolean;
  /** Propagation policy if the client sets none. @defaultValue 'Background' */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Warning text for a deletion that sets no propagation policy, and therefore uses the default. */
  readonly defaultPropagationWarning?: string;
  /** True if a deletion returns the removed object instead of a Status. @defaultValue false */
  readonly returnsDeleted?: boolean;
  /**
   * Field paths that this endpoint always copies from the stored object, so that its callers never own them.
   *
   * @defaultValue the spec for a status subresource; the status for the main endpoint of a kind with that subresource; otherwise
   * nothing
   */
  readonly resets?: readonly (readonly string[])[];
}
