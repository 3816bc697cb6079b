/** The name of a type of object in manifests. `group` is empty for the core group. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The name of a URL collection: plural, lower case. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Whether objects of a kind live in namespaces. */
export type Scope = 'Namespaced' | 'Cluster';

/** What a program must know of a kind to address it: its name in manifests, its collection, its scope. */
export interface KindDescriptor extends GroupVersionKind {
  /** Plural, lower case: the name in URLs. */
  readonly plural: string;
  readonly scope: Scope;
}

/**
 * A kind that a program knows at compile time; `T` is the type of its objects.
 * Built-in kinds are generated (`@kubewright/apimachinery/core/v1`), own kinds come from `defineKind`.
 */
export interface Kind<T> extends KindDescriptor {
  /** Never present at run time; carries the object type. */
  readonly __object?: T;
}

/** The object type of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/** Formats group and version as in manifests: `v1`, `apps/v1`. */
export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/** Splits an `apiVersion`; the part before the last `/` is the group. */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
