import type { KindDescriptor } from '@kubewright/apimachinery';

/**
 * A resource that the server serves, as reported by discovery.
 *
 * @example
 * ```ts
 * const canWatch = ({ verbs }: ApiResource): boolean => verbs.includes('watch');
 * const shortName = ({ plural, shortNames }: ApiResource): string => shortNames[0] ?? plural;
 * ```
 */
export interface ApiResource extends KindDescriptor {
  /** Singular name, for messages; the lower-case kind if discovery reports no singular name. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
}

/** A subresource and its verbs. */
export interface ApiSubresource {
  /** A name such as `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

/** One API group with its versions, in the server's order of preference. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  readonly versions: readonly ApiGroupVersion[];
}

/** The resources of one version of a group. */
export interface ApiGroupVersion {
  readonly version: string;
  /** True if an aggregated server did not respond; `resources` is then outdated or empty. */
  readonly stale: boolean;
  readonly resources: readonly ApiResource[];
}
