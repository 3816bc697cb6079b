import { type FieldError, FieldPath, forbiddenField, requiredField, unsupportedField } from '@kubewright/apimachinery';
import type {
  CSIPersistentVolumeSource,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeSpec,
  SecretReference,
  VolumeNodeAffinity,
} from '../generated/drafts.ts';
import { csiDriverName } from '../storage/csi-validation.ts';
import {
  type Check,
  enumOf,
  type FieldChecks,
  fields,
  immutable,
  isEmpty,
  optional,
  present,
  required,
  semanticEqual,
} from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsLabel, dnsSubdomain, noParentSteps } from '../validation/rules.ts';
import { claimStatusFaults } from './claim-status-validation.ts';
import { accessModes, claimChanges, claimSpec, classAndMode, positive } from './claim-validation.ts';
import { claimSpecWarnings } from './claim-warnings.ts';
import { nodeSelector } from './scheduling-validation.ts';
import { vendorVolumes } from './vendor-volume-validation.ts';
import { hostPath, nfs } from './volume-validation.ts';

const specPath = FieldPath.of('spec');
const sources = [
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
      const before = Object.fromEntries(sources.map((name) => [name, old.spec[name]]));
      const now = Object.fromEntries(sources.map((name) => [name, spec[name]]));
      const faults = semanticEqual(before, now)
        ? []
        : [
            forbiddenField(
              specPath.child('persistentvolumesource'),
              'spec.persistentvolumesource is immutable after creation',
            ),
          ];
      return [
        ...faults,
        // Upstream omits `spec` from this path.
        ...immutable(spec.volumeMode, { old: old.spec.volumeMode, path: FieldPath.of('volumeMode') }),
      ];
    },
  }),
  validationOf<PersistentVolumeClaim>('/v1/persistentvolumeclaims', {
    validate: ({ spec }) => claimSpec(spec, specPath),
    validateUpdate: claimChanges,
    warnings: ({ spec }) => claimSpecWarnings(spec, specPath),
  }),
  validationOf<PersistentVolumeClaim>('/v1/persistentvolumeclaims/status', {
    validateUpdate: ({ status }) => claimStatusFaults(status),
  }),
];

function volumeFaults(spec: PersistentVolumeSpec): readonly FieldError[] {
  const capacity = specPath.child('capacity');
  const faults: FieldError[] = [...required(accessModes)(spec.accessModes, specPath.child('accessModes'))];
  if (isEmpty(spec.capacity)) faults.push(requiredField(capacity));
  const names = Object.keys(spec.capacity ?? {});
  if (names.length !== 1 || names[0] !== 'storage')
    faults.push(unsupportedField(capacity, spec.capacity ?? null, ['storage']));
  for (const [name, amount] of Object.entries(spec.capacity ?? {}))
    faults.push(...positive(amount, capacity.key(name)));
  faults.push(
    ...fields<PersistentVolumeSpec>({ persistentVolumeReclaimPolicy: optional(enumOf('Delete', 'Recycle', 'Retain')) })(
      spec,
      specPath,
    ),
  );
  faults.push(...sourceFaults(spec));
  faults.push(
    ...present(nodeAffinity)(spec.nodeAffinity, specPath.child('nodeAffinity')),
    ...classAndMode(spec, specPath),
  );
  if (spec.volumeAttributesClassName !== undefined && !spec.csi) {
    faults.push(requiredField(specPath.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  }
  return faults;
}

const secretReference: Check<SecretReference> = fields<SecretReference>({
  name: required(dnsSubdomain),
  namespace: required(dnsLabel),
});

const source = fields<Partial<PersistentVolumeSpec>>({
  ...(vendorVolumes as FieldChecks<Partial<PersistentVolumeSpec>>),
  hostPath,
  nfs,
  csi: fields<CSIPersistentVolumeSource>({
    driver: csiDriverName,
    volumeHandle: required(),
    controllerPublishSecretRef: present(secretReference),
    controllerExpandSecretRef: present(secretReference),
    nodePublishSecretRef: present(secretReference),
    nodeExpandSecretRef: present(secretReference),
  }),
});

function sourceFaults(spec: PersistentVolumeSpec): readonly FieldError[] {
  const [first, ...others] = sources.filter((name) => spec[name]);
  if (first === undefined) return [requiredField(specPath, 'must specify a volume type')];
  // Upstream does not count `flexVolume`, and reports `cephfs` as `cephFS`.
  const faults = others
    .filter((name) => name !== 'flexVolume')
    .map((name) => specPath.child(name === 'cephfs' ? 'cephFS' : name))
    .map((path) => forbiddenField(path, 'may not specify more than 1 volume type'));
  // Upstream validates `flexVolume` even if another source is set.
  const checked = { [first]: spec[first], flexVolume: spec.flexVolume };
  faults.unshift(...source(checked as Partial<PersistentVolumeSpec>, specPath));
  if (first === 'local') {
    faults.push(...required(noParentSteps)(spec.local?.path, specPath.child('local', 'path')));
    if (!spec.nodeAffinity)
      faults.push(requiredField(specPath.child('nodeAffinity'), 'Local volume requires node affinity'));
  }
  if (spec.hostPath?.path === '/' && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    faults.push(
      forbiddenField(
        specPath.child('persistentVolumeReclaimPolicy'),
        "may not be 'recycle' for a hostPath mount of '/'",
      ),
    );
  }
  return faults;
}

const nodeAffinity: Check<VolumeNodeAffinity> = (affinity, path) =>
  affinity?.required
    ? nodeSelector(affinity.required, path.child('required'))
    : [requiredField(path.child('required'), 'must specify required node constraints')];
