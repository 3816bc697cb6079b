import type { Clock, FieldError, KubernetesObject, Random } from '@kubewright/apimachinery';
import type { UserInfo } from '../authentication/authenticator.ts';

/** A decoded object that is still being worked on. Plain JSON; owned by the request, so steps change it in place. */
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

/** What strategies may need besides the object. */
export interface StrategyContext {
  readonly user: UserInfo;
  readonly clock: Clock;
  readonly random: Random;
  readonly dryRun: boolean;
  /** Adds a `Warning` header to the answer. */
  warn(this: void, text: string): void;
}

/**
 * What is particular to one kind on its way into storage; the registry does what all kinds share (names, uid,
 * timestamps, generation, finalizers, preconditions, managed fields). All functions are synchronous and pure but for
 * the draft they are given. Mirrors `rest.RESTCreateStrategy` and friends of k8s.io/apiserver.
 */
export interface Strategy {
  /** Fills defaults; runs on decoded requests and on reads of what was stored before a default existed. */
  applyDefaults?(object: Draft): void;
  /** Clears what a client may not set (status) and sets what the kind derives. Runs before admission. */
  prepareForCreate?(object: Draft, context: StrategyContext): void;
  /** The same for updates; takes over from `old` what this endpoint may not change. */
  prepareForUpdate?(object: Draft, old: KubernetesObject, context: StrategyContext): void;
  /** Gives back what was taken for an object that was prepared and is not written. */
  abandon?(object: Draft): void;
  /** Every fault of a new object, metadata excepted. */
  validate?(object: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Every fault of a changed object, given its stored form. */
  validateUpdate?(object: KubernetesObject, old: KubernetesObject, context: StrategyContext): readonly FieldError[];
  /** Texts for `Warning` headers. */
  warnings?(object: KubernetesObject, old: KubernetesObject | undefined): readonly string[];
  /** Checks `metadata.name`; answers the faults' messages. @defaultValue DNS-1123 subdomain */
  validateName?(name: string): readonly string[];
  /**
   * When `metadata.generation` moves: `none` (never set), `spec` (starts at 1, moves when `spec` changes), `object`
   * (moves when anything but metadata, and status where it is a subresource, changes).
   */
  readonly generation: 'none' | 'spec' | 'object';
  /** Whether PUT may omit the resourceVersion. */
  readonly allowUnconditionalUpdate: boolean;
  /** Whether PUT creates what is not there. */
  readonly allowCreateOnUpdate: boolean;
  /**
   * For kinds that are deleted gracefully (pods): the seconds to grant, given what the client asked for;
   * `undefined` deletes at once.
   */
  gracefulSeconds?(object: KubernetesObject, asked: number | undefined): number | undefined;
  /** Changes an object whose deletion begins (a CRD gets its cleaning finalizer). Not called again once it is deleting. */
  prepareForDelete?(object: Draft, context: StrategyContext): void;
  /**
   * What marks an object that waits for its finalizers: its timestamp alone (CRDs), or a grace period of zero and a new
   * generation too.
   *
   * @defaultValue 'complete'
   */
  readonly deletionMark?: 'timestamp' | 'complete';
  /** What happens to dependents when the client does not say. @defaultValue 'Background' */
  readonly defaultPropagation?: 'Background' | 'Orphan';
  /** Text of the warning for a deletion that does not say what happens to dependents. */
  readonly unsaidPropagationWarning?: string;
  /** Whether a deletion answers with the object that was removed, not with a Status. @defaultValue false */
  readonly answersWithDeleted?: boolean;
  /**
   * Paths of fields that this endpoint takes from the stored object, whatever is sent: nobody owns them through it.
   *
   * @defaultValue the spec for a status view; the status for the main endpoint beside one; nothing else
   */
  readonly resets?: readonly (readonly string[])[];
}
