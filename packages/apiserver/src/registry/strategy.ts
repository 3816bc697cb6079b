import type { Clock, FieldError, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/**
 * A decoded object that is still being processed. Plain JSON, owned by the request, so each step changes it in place.
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

/** A strategy's context besides the object. */
export interface StrategyContext {
  readonly user: UserInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the response. */
  warn(this: void, text: string): void;
}

/**
 * The logic specific to one kind on its way into storage. The registry does the work common to all kinds (names, UID, timestamps,
 * generation, finalizers, preconditions, managed fields). All functions are synchronous, and pure except for the draft they are
 * given. Mirrors `rest.RESTCreateStrategy` and friends of k8s.io/apiserver.
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
  /** Clears fields that a client may not set (status) and sets fields that the kind derives. Runs before admission. */
  prepareForCreate?(object: Draft, context: StrategyContext): void;
  /** Same for updates; copies from `old` the fields that this endpoint may not change. */
  prepareForUpdate?(object: Draft, old: KubernetesObject, context: StrategyContext): void;
  /** Releases what was allocated for an object that was prepared but not written. */
  abandon?(object: Draft): void;
  /** Returns every error in a new object, except in metadata. */
  validate?(object: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Returns every error in a changed object, compared with its stored form. */
  validateUpdate?(object: KubernetesObject, old: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Brings a valid object into the form that is stored. Runs last; what it changes has no field manager. */
  prepareForStorage?(object: Draft): void;
  /** Returns texts for `Warning` headers. */
  warnings?(object: KubernetesObject, old: KubernetesObject | undefined): readonly string[];
  /** Validates `metadata.name`. Returns the error messages. @defaultValue DNS-1123 subdomain */
  validateName?(name: string): readonly string[];
  /**
   * When `metadata.generation` increases: `none` (never set), `spec` (starts at 1, increases when `spec` changes), `object`
   * (increases when anything changes except metadata, and except status if it is a subresource).
   */
  readonly generation: 'none' | 'spec' | 'object';
  /** True if PUT may omit the resourceVersion. */
  readonly allowUnconditionalUpdate: boolean;
  /** True if PUT creates a missing object. */
  readonly allowCreateOnUpdate: boolean;
  /**
   * For kinds with graceful deletion (pods): returns the seconds to grant, given the client's request; `undefined` deletes
   * immediately.
   */
  gracefulSeconds?(object: KubernetesObject, requested: number | bigint | undefined): number | bigint | undefined;
  /** Changes an object whose deletion starts (a CRD gets its cleanup finalizer). Not called again while it is deleting. */
  prepareForDelete?(object: Draft, context: StrategyContext): void;
  /**
   * Marks on an object that waits for its finalizers: only the timestamp (CRDs), or also a grace period of zero and a new
   * generation.
   *
   * @defaultValue 'complete'
   */
  readonly deletionMark?: 'timestamp' | 'complete';
  /** False for kinds that never own others (events): a deletion adds no finalizer for dependents. @defaultValue true */
  readonly garbageCollection?: boolean;
  /** Propagation policy if the client sets none. @defaultValue 'Background' */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Warning text for a deletion without a propagation policy. */
  readonly unsaidPropagationWarning?: string;
  /** True if a deletion returns the removed object instead of a Status. @defaultValue false */
  readonly returnsDeleted?: boolean;
  /**
   * Field paths that this endpoint always copies from the stored object, so a writer through it never owns them.
   *
   * @defaultValue the spec for a status subresource; the status for a main endpoint that has one; otherwise nothing
   */
  readonly resets?: readonly (readonly string[])[];
}
