/**
 * Name of an object type in manifests. `group` is empty for the core group.
 *
 * @example
 * ```ts
 * const deployment: GroupVersionKind = { group: 'apps', version: 'v1', kind: 'Deployment' };
 * const apiVersion = apiVersionOf(deployment); // 'apps/v1'
 * ```
 */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/**
 * Identifies a resource as API URLs do. `resource` is the plural name in lower case.
 *
 * @example
 * ```ts
 * const pathOf = ({ group, version, resource }: GroupVersionResource): string =>
 *   group === '' ? `/api/${version}/${resource}` : `/apis/${group}/${version}/${resource}`;
 * ```
 */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/**
 * Scope of a kind: in a namespace or cluster-wide.
 *
 * @example
 * ```ts
 * const folderOf = (scope: Scope, namespace: string): string => (scope === 'Namespaced' ? `namespaces/${namespace}` : 'cluster');
 * const folder = folderOf(Pod.scope, 'shop');
 * ```
 */
export type Scope = 'Namespaced' | 'Cluster';

/**
 * The names of a kind in manifests and URLs, and its scope.
 *
 * @example
 * ```ts
 * const widgets: KindDescriptor = {
 *   group: 'example.com',
 *   version: 'v1',
 *   kind: 'Widget',
 *   plural: 'widgets',
 *   scope: 'Namespaced',
 * };
 * ```
 */
export interface KindDescriptor extends GroupVersionKind {
  /** Name in URLs: plural, lower case. */
  readonly plural: string;
  readonly scope: Scope;
}

/**
 * A kind that is known at compile time; `T` is the type of its objects.
 * Built-in kinds are generated (`@kubewright/apimachinery/core/v1`); `defineKind` creates your own.
 *
 * @example
 * ```ts
 * async function deleteAll<T extends KubernetesObject>(kind: Kind<T>, keys: readonly ObjectKey[]): Promise<void> {
 *   for (const key of keys) await client.resource(kind).delete(key);
 * }
 * await deleteAll(ConfigMap, [{ namespace: 'shop', name: 'settings' }]);
 * ```
 */
export interface Kind<T> extends KindDescriptor {
  /** Type-level only: carries the object type and is never present at run time. */
  readonly __object?: T;
}

/** The object type of a kind. */
export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

/**
 * Formats group and version as in manifests: `v1`, `apps/v1`.
 *
 * @example
 * ```ts
 * const apiVersion = apiVersionOf({ group: 'apps', version: 'v1' });
 * ```
 */
export function apiVersionOf(gv: { readonly group: string; readonly version: string }): string {
  return gv.group === '' ? gv.version : `${gv.group}/${gv.version}`;
}

/**
 * Splits an `apiVersion`; the part before the last `/` is the group.
 *
 * @example
 * ```ts
 * const { group, version } = parseApiVersion('apps/v1');
 * ```
 */
export function parseApiVersion(apiVersion: string): { readonly group: string; readonly version: string } {
  const slash = apiVersion.lastIndexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
