import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  PersistentVolumeSpec,
} from '../generated/drafts.ts';
import {
  type Check,
  enumOf,
  fields,
  immutable,
  isEmpty,
  optional,
  present,
  required,
  semanticEqual,
} from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsSubdomain } from '../validation/rules.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { hostPath } from './volume-validation.ts';

const SPEC = FieldPath.of('spec');
const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'rbd',
  'cinder',
  'cephfs',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

/** Validation of persistent volumes and claims. */
export const volumeObjectValidation: readonly ValidationEntry[] = [
  validationOf<PersistentVolume>('/v1/persistentvolumes', {
    validate: ({ spec }) => volumeFaults(spec),
    validateUpdate: ({ spec }, old) => {
      const before = Object.fromEntries(SOURCES.map((name) => [name, old.spec[name]]));
      const now = Object.fromEntries(SOURCES.map((name) => [name, spec[name]]));
      const faults = semanticEqual(before, now)
        ? []
        : [
            forbiddenField(
              SPEC.child('persistentvolumesource'),
              'spec.persistentvolumesource is immutable after creation',
            ),
          ];
      return [...faults, ...immutable(spec.volumeMode, { old: old.spec.volumeMode, path: SPEC.child('volumeMode') })];
    },
  }),
  validationOf<PersistentVolumeClaim>('/v1/persistentvolumeclaims', {
    validate: ({ spec }) => claimFaults(spec),
    validateUpdate: claimChanges,
  }),
];

const modes: Check<string[]> = (list, path) => {
  const given = list ?? [];
  const wrong = given.filter((mode) => !MODES.includes(mode)).map((mode) => unsupportedField(path, mode, MODES));
  const alone = given.includes('ReadWriteOncePod') && given.length > 1;
  return alone ? [...wrong, forbiddenField(path, 'may not use ReadWriteOncePod with other access modes')] : wrong;
};

function positive(amount: string, path: FieldPath): readonly FieldError[] {
  return billionthsOf(amount) > 0n ? [] : [invalidField(path, amount, 'must be greater than zero')];
}

function volumeFaults(spec: PersistentVolumeSpec): readonly FieldError[] {
  const capacity = SPEC.child('capacity');
  const faults: FieldError[] = [...required(modes)(spec.accessModes, SPEC.child('accessModes'))];
  if (isEmpty(spec.capacity)) faults.push(requiredField(capacity));
  const names = Object.keys(spec.capacity ?? {});
  if (names.length !== 1 || names[0] !== 'storage')
    faults.push(unsupportedField(capacity, spec.capacity ?? null, ['storage']));
  for (const [name, amount] of Object.entries(spec.capacity ?? {}))
    faults.push(...positive(amount, capacity.key(name)));
  faults.push(
    ...fields<PersistentVolumeSpec>({ persistentVolumeReclaimPolicy: optional(enumOf('Delete', 'Recycle', 'Retain')) })(
      spec,
      SPEC,
    ),
  );
  faults.push(...sourceFaults(spec));
  return [...faults, ...classAndMode(spec)];
}

function sourceFaults(spec: PersistentVolumeSpec): readonly FieldError[] {
  const [first, ...others] = SOURCES.filter((name) => spec[name]);
  if (first === undefined) return [requiredField(SPEC, 'must specify a volume type')];
  const faults = others.map((name) => forbiddenField(SPEC.child(name), 'may not specify more than 1 volume type'));
  if (spec.hostPath) faults.unshift(...hostPath(spec.hostPath, SPEC.child('hostPath')));
  if (spec.hostPath?.path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    faults.push(
      forbiddenField(SPEC.child('persistentVolumeReclaimPolicy'), "may not be 'recycle' for a hostPath mount of '/'"),
    );
  }
  return faults;
}

function classAndMode(spec: {
  storageClassName?: string | undefined;
  volumeMode?: string | undefined;
}): readonly FieldError[] {
  return [
    ...optional(dnsSubdomain)(spec.storageClassName, SPEC.child('storageClassName')),
    ...present(enumOf('Block', 'Filesystem'))(spec.volumeMode, SPEC.child('volumeMode')),
  ];
}

function claimFaults(spec: PersistentVolumeClaimSpec): readonly FieldError[] {
  const storage = spec.resources.requests?.['storage'];
  const path = SPEC.child('resources').key('storage');
  return [
    ...required(modes, 'at least 1 access mode is required')(spec.accessModes, SPEC.child('accessModes')),
    ...(storage === undefined ? [requiredField(path)] : positive(storage, path)),
    ...classAndMode(spec),
  ];
}

/** Rejects changes of a bound claim, except that it may grow. */
function claimChanges({ spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const fixed = ({ resources, volumeAttributesClassName, ...rest }: PersistentVolumeClaimSpec): unknown => {
    const { volumeName, ...others } = rest;
    return old.spec.volumeName ? rest : others;
  };
  if (!semanticEqual(fixed(spec), fixed(old.spec))) {
    return [
      forbiddenField(
        SPEC,
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ),
    ];
  }
  const now = billionthsOf(spec.resources.requests?.['storage']);
  const before = billionthsOf(old.spec.resources.requests?.['storage']);
  if (now !== before && old.status.phase !== 'Bound') {
    return [
      forbiddenField(
        SPEC,
        'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
      ),
    ];
  }
  const path = SPEC.child('resources', 'requests', 'storage');
  return now < before ? [forbiddenField(path, 'field can not be less than status.capacity')] : [];
}
