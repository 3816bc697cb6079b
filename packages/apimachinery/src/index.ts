export { type Clock, sleep, type Timer, type TimerOptions } from './clock/clock.ts';
export { type Random, seededRandom } from './clock/random.ts';
export { systemClock, systemRandom } from './clock/system.ts';
export { VirtualClock } from './clock/virtual.ts';
export type { Condition, ConditionStatus } from './conditions/condition.ts';
export {
  type ConditionLike,
  type ConditionUpdate,
  findCondition,
  formatMicroTime,
  formatTime,
  isConditionFalse,
  isConditionTrue,
  removeCondition,
  setCondition,
} from './conditions/conditions.ts';
export {
  DurationError,
  formatDuration,
  formatDurationMs,
  parseDuration,
  parseDurationMs,
} from './duration/duration.ts';
export { type ErrorText, KubewrightError } from './errors/kubewright-error.ts';
export { type FieldRequirement, FieldSelector, FieldSelectorError } from './fields/field-selector.ts';
export { deepFreeze } from './freeze/deep-freeze.ts';
export { type ImageReference, ImageReferenceError, parseImageReference } from './image/image-reference.ts';
export { type IntOrString, type ScaledValueOptions, scaledValue } from './intstr/int-or-string.ts';
export { LabelSelector, type LabelSelectorObject } from './labels/label-selector.ts';
export { type LabelOperator, type LabelRequirement, LabelSelectorError } from './labels/requirement.ts';
export {
  type FieldPathElements,
  FieldSet,
  FieldSetBuilder,
  FieldSetError,
  formatFieldPath,
} from './managed-fields/field-set.ts';
export {
  comparePathElements,
  fieldElement,
  formatPathElement,
  indexElement,
  keyElement,
  type ParsedPathElement,
  type PathElement,
  parsePathElement,
  valueElement,
} from './managed-fields/path-element.ts';
export {
  type UpgradeManagedFieldsOptions,
  upgradeManagedFields,
  upgradeManagedFieldsPatch,
} from './managed-fields/upgrade-managed-fields.ts';
export { type KindFactory, type KindInit, kindFactory } from './object/kind-factory.ts';
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
  type ListMeta,
  type ManagedFieldsEntry,
  type ObjectKey,
  type ObjectMeta,
  type OwnerReference,
  objectKey,
  type UnstructuredObject,
} from './object/kubernetes-object.ts';
export { pluralOf } from './object/plural.ts';
export { compareResourceVersions } from './object/resource-version.ts';
export type { ComputedMeta, KindMeta, Stored, StoredMeta } from './object/stored.ts';
export {
  controllerOf,
  isControlledBy,
  type OwnerReferenceOptions,
  OwnershipError,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner/owner-references.ts';
export { createJsonPatch } from './patch/create-json-patch.ts';
export { applyJsonPatch, type JsonPatchLimits, type JsonPatchOperation } from './patch/json-patch.ts';
export { JsonPatchError, type JsonPatchFault } from './patch/json-pointer.ts';
export { applyMergePatch, createMergePatch, MergePatchError } from './patch/merge-patch.ts';
export { canonicalQuantity, Quantity, QuantityError } from './quantity/quantity.ts';
export {
  alreadyExists,
  applyConflict,
  badRequest,
  conflict,
  expired,
  forbidden,
  formatGroupResource,
  type GroupKind,
  type GroupResource,
  gone,
  internalError,
  invalid,
  methodNotAllowed,
  methodNotSupported,
  notAcceptable,
  notFound,
  pathNotFound,
  requestEntityTooLarge,
  serviceUnavailable,
  success,
  timeout,
  tooManyRequests,
  unauthorized,
  unprocessable,
  unsupportedMediaType,
} from './status/failures.ts';
export type { Status, StatusCause, StatusDetails, StatusReason } from './status/status.ts';
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
  causesOf,
  duplicateField,
  type FieldError,
  type FieldErrorType,
  type FieldLocation,
  forbiddenField,
  formatFieldError,
  formatFieldErrors,
  internalErrorField,
  invalidField,
  invalidTypeField,
  notFoundField,
  requiredField,
  tooFewField,
  tooLongField,
  tooManyField,
  tooShortField,
  unsupportedField,
} from './validation/field-error.ts';
export { FieldPath } from './validation/field-path.ts';
export {
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkEnvVarName,
  checkLabelValue,
  checkPathSegment,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkRelaxedEnvVarName,
} from './validation/names.ts';
