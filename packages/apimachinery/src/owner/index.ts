export {
  controllerOf,
  isControlledBy,
  type OwnerReferenceOptions,
  OwnershipError,
  removeOwnerReference,
  setControllerReference,
  setOwnerReference,
} from './owner-references.ts';
