export { type KindFactory, type KindInit, kindFactory } from './kind-factory.ts';
export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  type Kind,
  type KindDescriptor,
  type ObjectOf,
  parseApiVersion,
  type Scope,
} from './kinds.ts';
export {
  formatObjectKey,
  isDeleting,
  type KubernetesList,
  type KubernetesObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  type UnstructuredObject,
} from './kubernetes-object.ts';
export { pluralOf } from './plural.ts';
export { compareResourceVersions } from './resource-version.ts';
export type { ComputedMeta, KindMeta, Stored, StoredMeta } from './stored.ts';
