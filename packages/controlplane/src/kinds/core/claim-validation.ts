import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from '../generated/drafts.ts';
import { type Check, enumOf, immutable, isEmpty, optional, present, semanticEqual } from '../validation/check.ts';
import { dnsSubdomain, labelSelector } from '../validation/rules.ts';
import { billionthsOf } from '../wire/quantity.ts';

const specPath = FieldPath.of('spec');
const classAnnotation = 'volume.beta.kubernetes.io/storage-class';
const modes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Validates the access modes of a volume or claim. */
export const accessModes: Check<string[]> = (list, path) => {
  const given = list ?? [];
  const wrong = given.filter((mode) => !modes.includes(mode)).map((mode) => unsupportedField(path, mode, modes));
  const alone = given.includes('ReadWriteOncePod') && given.length > 1;
  return alone ? [...wrong, forbiddenField(path, 'may not use ReadWriteOncePod with other access modes')] : wrong;
};

/** Rejects amounts that are not positive. */
export function positive(amount: string, path: FieldPath): readonly FieldError[] {
  return billionthsOf(amount) > 0n ? [] : [invalidField(path, amount, 'must be greater than zero')];
}

/** Validates the storage class and volume mode of a volume or claim. */
export function classAndMode(
  spec: { storageClassName?: string | undefined; volumeMode?: string | undefined },
  path: FieldPath,
): readonly FieldError[] {
  return [
    ...optional(dnsSubdomain)(spec.storageClassName, path.child('storageClassName')),
    ...present(enumOf('Block', 'Filesystem'))(spec.volumeMode, path.child('volumeMode')),
  ];
}

/** Validates the spec of a claim or claim template. */
export const claimSpec: Check<PersistentVolumeClaimSpec> = (spec, path) => {
  if (!spec) return [];
  const storage = spec.resources?.requests?.['storage'];
  const at = path.child('resources').key('storage');
  return [
    ...(isEmpty(spec.accessModes)
      ? [requiredField(path.child('accessModes'), 'at least 1 access mode is required')]
      : []),
    ...present(labelSelector)(spec.selector, path.child('selector')),
    ...accessModes(spec.accessModes, path.child('accessModes')),
    ...(storage === undefined ? [requiredField(at)] : positive(storage, at)),
    ...classAndMode(spec, path),
    ...present(dataSource)(spec.dataSource, path.child('dataSource')),
    ...present(dataSource)(spec.dataSourceRef, path.child('dataSourceRef')),
    ...sourceMismatch(spec, path),
    ...optional(dnsSubdomain)(spec.volumeAttributesClassName, path.child('volumeAttributesClassName')),
  ];
};

const dataSource: Check<TypedLocalObjectReference> = (source, path) => {
  if (!source) return [];
  const faults: FieldError[] = [];
  if (!source.name) faults.push(requiredField(path.child('name')));
  if (!source.kind) faults.push(requiredField(path.child('kind')));
  if (!source.apiGroup && source.kind !== 'PersistentVolumeClaim') {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    faults.push(invalidField(path, source.kind, detail));
  }
  return [...faults, ...optional(dnsSubdomain)(source.apiGroup ?? undefined, path.child('apiGroup'))];
};

/**
 * Returns the error if `dataSource` and `dataSourceRef` name different sources. Only `dataSourceRef` can name another namespace.
 */
function sourceMismatch(spec: PersistentVolumeClaimSpec, path: FieldPath): readonly FieldError[] {
  const { dataSource: old, dataSourceRef: reference } = spec;
  if (!old || !reference) return [];
  // Upstream passes a path as the value, which prints as an empty object.
  if (reference.namespace) {
    return [invalidField(path, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  }
  const isSame = (['apiGroup', 'kind', 'name'] as const).every((field) => old[field] === reference[field]);
  return isSame ? [] : [invalidField(path, {}, 'must match dataSourceRef')];
}

/**
 * Rejects changes to a claim, with these exceptions: the claim may be bound, may get a class if it had none, and may
 * grow once bound. An increased request may be reduced again, but must stay larger than the claim's current capacity.
 */
export function claimChanges(
  { metadata, spec }: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): readonly FieldError[] {
  const getsClass = old.spec.storageClassName === undefined && spec.storageClassName !== undefined;
  const oldAnnotation = old.metadata.annotations?.[classAnnotation];
  const fitsAnnotation = oldAnnotation === undefined || spec.storageClassName === oldAnnotation;
  const mayGetClass = getsClass && fitsAnnotation;
  const isBound = old.status.phase === 'Bound';
  const fixed = (given: PersistentVolumeClaimSpec): unknown => {
    const { resources, volumeAttributesClassName, volumeName, storageClassName, ...rest } = given;
    return {
      ...rest,
      resources: { ...resources, requests: { ...resources.requests, storage: undefined } },
      ...(old.spec.volumeName && { volumeName }),
      ...(!mayGetClass && { storageClassName }),
      ...(!isBound && { volumeAttributesClassName }),
    };
  };
  const annotation = metadata.annotations?.[classAnnotation];
  const upgrades = mayGetClass && oldAnnotation !== undefined && annotation === undefined;
  const faults: FieldError[] = [];
  if (annotation !== oldAnnotation && !upgrades) {
    const at = FieldPath.of('metadata', 'annotations').key(classAnnotation);
    faults.push(invalidField(at, annotation ?? '', 'field is immutable'));
  }
  const now = billionthsOf(spec.resources.requests?.['storage']);
  const before = billionthsOf(old.spec.resources.requests?.['storage']);
  if (!semanticEqual(fixed(spec), fixed(old.spec)) || (now !== before && !isBound)) {
    const detail =
      'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    faults.push(forbiddenField(specPath, detail));
  }
  const size = billionthsOf(old.status.capacity?.['storage']);
  if (now < before && now <= size)
    faults.push(
      forbiddenField(specPath.child('resources', 'requests', 'storage'), 'field can not be less than status.capacity'),
    );
  return [...faults, ...immutable(spec.volumeMode, { old: old.spec.volumeMode, path: FieldPath.of('volumeMode') })];
}
