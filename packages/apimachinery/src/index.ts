export { type Clock, sleep, type Timer } from './clock/clock.ts';
export { type Random, seededRandom } from './clock/random.ts';
export { systemClock, systemRandom } from './clock/system.ts';
export { VirtualClock } from './clock/virtual.ts';
export type { Condition } from './conditions/condition.ts';
export {
  type ConditionUpdate,
  findCondition,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions/conditions.ts';
export { formatDurationMs, parseDurationMs } from './duration/duration.ts';
export { KubewrightError } from './errors/kubewright-error.ts';
export { FieldSelector, FieldSelectorError } from './fields/field-selector.ts';
export { type IntOrString, scaledValue } from './intstr/int-or-string.ts';
export { LabelSelector, type LabelSelectorObject } from './labels/label-selector.ts';
export { LabelSelectorError } from './labels/requirement.ts';
export {
  upgradeManagedFields,
  upgradeManagedFieldsPatch,
} from './managed-fields/upgrade-managed-fields.ts';
export type { KindFactory, KindInit } from './object/kind-factory.ts';
export {
  apiVersionOf,
  type GroupVersionKind,
  type GroupVersionResource,
  type Kind,
  type KindDescriptor,
  type ObjectOf,
  parseApiVersion,
  type Scope,
} from './object/kinds.ts';
export {
  formatObjectKey,
  isDeleting,
  type KubernetesList,
  type KubernetesObject,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  type UnstructuredObject,
} from './object/kubernetes-object.ts';
export type { Stored } from './object/stored.ts';
export {
  controllerOf,
  isControlledBy,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner/owner-references.ts';
export { createJsonPatch } from './patch/create-json-patch.ts';
export { applyJsonPatch, type JsonPatchOperation } from './patch/json-patch.ts';
export { JsonPatchError } from './patch/json-pointer.ts';
export { applyMergePatch, createMergePatch, MergePatchError } from './patch/merge-patch.ts';
export { Quantity } from './quantity/quantity.ts';
export { alreadyExists, badRequest, conflict, forbidden, invalid, notFound } from './status/failures.ts';
export type { Status, StatusReason } from './status/status.ts';
export {
  hasReason,
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  StatusError,
} from './status/status-error.ts';
export {
  duplicateField,
  type FieldError,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from './validation/field-error.ts';
export { FieldPath } from './validation/field-path.ts';
export {
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelValue,
  checkQualifiedName,
} from './validation/names.ts';
export { issueCertificate } from './x509/issue-certificate.ts';
