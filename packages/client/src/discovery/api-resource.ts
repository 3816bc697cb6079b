import type { KindDescriptor } from '@kubewright/apimachinery';

/** A resource that the server serves, as discovery tells it. */
export interface ApiResource extends KindDescriptor {
  /** The name of one object in messages; the lower-case kind where discovery does not say. */
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly ApiSubresource[];
}

/** A subresource and what may be done to it. */
export interface ApiSubresource {
  /** Such as `status`. */
  readonly name: string;
  readonly verbs: readonly string[];
}

/** One API group with its versions, in the server's order of preference. */
export interface ApiGroup {
  /** Empty for the core group. */
  readonly name: string;
  readonly versions: readonly ApiGroupVersion[];
}

/** What one version of a group serves. */
export interface ApiGroupVersion {
  readonly version: string;
  /** True when an aggregated server did not answer: then `resources` is old or empty. */
  readonly stale: boolean;
  readonly resources: readonly ApiResource[];
}
