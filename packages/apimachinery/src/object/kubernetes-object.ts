/**
 * The fields that all Kubernetes objects have: type and metadata.
 *
 * @example
 * ```ts
 * const titleOf = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;
 * ```
 */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/**
 * An object of a kind that is not known at compile time.
 *
 * @example
 * ```ts
 * const widget: UnstructuredObject = {
 *   apiVersion: 'example.com/v1',
 *   kind: 'Widget',
 *   metadata: { namespace: 'shop', name: 'small' },
 *   spec: { size: 3 },
 * };
 * ```
 */
export interface UnstructuredObject extends KubernetesObject {
  readonly [field: string]: unknown;
}

/**
 * A list as the API returns it. Items of built-in lists have no `apiVersion` and `kind`.
 *
 * @example
 * ```ts
 * const namesOf = ({ items }: KubernetesList<Pod>): readonly (string | undefined)[] =>
 *   items.map(({ metadata }) => metadata.name);
 * ```
 */
export interface KubernetesList<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ListMeta;
  readonly items: readonly T[];
}

/**
 * Object metadata as on the wire (meta/v1 `ObjectMeta`, Kubernetes 1.36).
 *
 * @example
 * ```ts
 * const metadata: ObjectMeta = { name: 'web', namespace: 'shop', labels: { app: 'web' } };
 * const configMap = ConfigMap({ metadata, data: { color: 'blue' } });
 * ```
 */
export interface ObjectMeta {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  readonly creationTimestamp?: string | null;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly selfLink?: string;
}

/** List metadata (meta/v1 `ListMeta`). */
export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/**
 * A reference from a child to its owner (meta/v1 `OwnerReference`).
 *
 * @example
 * ```ts
 * const isOwnedBy = (pod: Pod, uid: string): boolean =>
 *   (pod.metadata?.ownerReferences ?? []).some((owner: OwnerReference) => owner.uid === uid);
 * ```
 */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** The fields that one manager owns through one operation (meta/v1 `ManagedFieldsEntry`). */
export interface ManagedFieldsEntry {
  readonly manager?: string;
  readonly operation?: 'Apply' | 'Update';
  readonly apiVersion?: string;
  readonly time?: string;
  readonly fieldsType?: 'FieldsV1';
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
}

/**
 * The name and, for namespaced kinds, the namespace of an object. A key can be reused after a deletion; a UID cannot.
 */
export interface ObjectKey {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * Returns the key of an object.
 *
 * @example
 * ```ts
 * const { namespace, name }: ObjectKey = objectKey(pod);
 * ```
 */
export function objectKey(object: KubernetesObject): ObjectKey {
  const { namespace, name = '' } = object.metadata;
  return namespace === undefined ? { name } : { namespace, name };
}

/**
 * Formats a key as `namespace/name`, or `name` for cluster-scoped objects.
 *
 * @example
 * ```ts
 * const text = formatObjectKey({ namespace: 'default', name: 'web-0' }); // default/web-0
 * ```
 */
export function formatObjectKey(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

/**
 * True once deletion has been requested; the object remains until its finalizers are removed.
 *
 * @example
 * ```ts
 * if (!isDeleting(pod)) await schedule(pod);
 * ```
 */
export function isDeleting(object: KubernetesObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && object.metadata.deletionTimestamp !== null;
}
