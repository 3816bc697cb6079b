import { posix } from 'node:path';
import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  Quantity,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import type {
  CSIPersistentVolumeSource,
  GlusterfsPersistentVolumeSource,
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
  isEmpty,
  optional,
  present,
  required,
} from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, noParentSteps } from '../validation/rules.ts';
import { sortedKeys } from '../validation/sorted-keys.ts';
import { accessModes, classAndMode, positive } from './claim-validation.ts';
import { nodeSelector } from './scheduling-validation.ts';
import { persistentIscsi, vendorVolumes } from './vendor-volume-validation.ts';
import { hostPath, nfs } from './volume-validation.ts';

/** The fields for sources of a persistent volume, in the order in which upstream checks them. */
export const volumeSources = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const;

/** Validates the spec of a persistent volume (`ValidatePersistentVolumeSpec`, 1.36). */
export function volumeSpecFaults(spec: PersistentVolumeSpec, path: FieldPath): readonly FieldError[] {
  const capacity = path.child('capacity');
  const faults: FieldError[] = [...required(accessModes)(spec.accessModes, path.child('accessModes'))];
  if (isEmpty(spec.capacity)) faults.push(requiredField(capacity));
  const names = Object.keys(spec.capacity ?? {});
  if (names.length !== 1 || names[0] !== 'storage')
    faults.push(unsupportedField(capacity, spec.capacity ? sortedKeys(spec.capacity) : null, ['storage']));
  for (const [name, amount] of Object.entries(spec.capacity ?? {})) {
    const whole = Quantity.tryParse(amount)?.value() ?? 0n;
    if (whole < 0n) faults.push(invalidField(capacity.key(name), whole, 'must be a valid resource quantity'));
    faults.push(...positive(amount, capacity.key(name)));
  }
  faults.push(
    ...optional(enumOf('Delete', 'Recycle', 'Retain'))(
      spec.persistentVolumeReclaimPolicy,
      path.child('persistentVolumeReclaimPolicy'),
    ),
    ...present(nodeAffinity)(spec.nodeAffinity, path.child('nodeAffinity')),
    ...sourceFaults(spec, path),
    ...classAndMode(spec, path),
  );
  const at = path.child('volumeAttributesClassName');
  if (spec.volumeAttributesClassName !== undefined) {
    faults.push(...required(dnsSubdomain, 'an empty string is disallowed')(spec.volumeAttributesClassName, at));
    if (!spec.csi)
      faults.push(requiredField(path.child('csi'), 'has to be specified when using volumeAttributesClassName'));
  }
  return faults;
}

/** Validates the spec of a volume inside a VolumeAttachment, which must be a CSI volume and supports few other fields. */
export const inlineVolumeSpec: Check<PersistentVolumeSpec> = (spec, path) => {
  if (!spec) return [];
  const context = 'in the context of inline volumes';
  const forbid = (field: string, isSet: boolean, detail = 'may not be specified'): readonly FieldError[] =>
    isSet ? [forbiddenField(path.child(field), `${detail} ${context}`)] : [];
  const { persistentVolumeReclaimPolicy: policy, volumeMode } = spec;
  return [
    ...forbid('claimRef', spec.claimRef !== undefined),
    ...forbid('capacity', !isEmpty(spec.capacity)),
    ...(spec.csi ? [] : [requiredField(path.child('csi'), `has to be specified ${context}`)]),
    ...required(accessModes)(spec.accessModes, path.child('accessModes')),
    ...forbid('persistentVolumeReclaimPolicy', !isEmpty(policy) && policy !== 'Retain', 'may only be Retain'),
    ...forbid('nodeAffinity', spec.nodeAffinity !== undefined),
    ...sourceFaults(spec, path),
    ...forbid('storageClassName', !isEmpty(spec.storageClassName)),
    ...forbid(
      'volumeMode',
      volumeMode !== undefined && volumeMode !== 'Filesystem',
      'may not specify volumeMode other than Filesystem',
    ),
  ];
};

const secretReference: Check<SecretReference> = fields<SecretReference>({
  name: required(dnsSubdomain),
  namespace: required(dnsLabel),
});

const source = fields<Partial<PersistentVolumeSpec>>({
  ...(vendorVolumes as FieldChecks<Partial<PersistentVolumeSpec>>),
  iscsi: persistentIscsi,
  glusterfs: fields<GlusterfsPersistentVolumeSource>({
    endpoints: required(),
    path: required(),
    endpointsNamespace: present((name, path) =>
      name === ''
        ? [invalidField(path, '', 'if the endpointnamespace is set, it must be a valid namespace name')]
        : dnsLabel(name, path),
    ),
  }),
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

function sourceFaults(spec: PersistentVolumeSpec, path: FieldPath): readonly FieldError[] {
  const [first, ...others] = volumeSources.filter((name) => spec[name]);
  if (first === undefined) return [requiredField(path, 'must specify a volume type')];
  // Upstream does not count `flexVolume`, and reports `cephfs` as `cephFS`.
  const faults = others
    .filter((name) => name !== 'flexVolume')
    .map((name) => path.child(name === 'cephfs' ? 'cephFS' : name))
    .map((at) => forbiddenField(at, 'may not specify more than 1 volume type'));
  // Upstream validates `flexVolume` even if another source is set.
  const checked = { [first]: spec[first], flexVolume: spec.flexVolume };
  faults.unshift(...source(checked as Partial<PersistentVolumeSpec>, path));
  if (first === 'local') {
    faults.push(...required(noParentSteps)(spec.local?.path, path.child('local', 'path')));
    if (!spec.nodeAffinity)
      faults.push(requiredField(path.child('nodeAffinity'), 'Local volume requires node affinity'));
  }
  const isRoot = spec.hostPath?.path && posix.normalize(spec.hostPath.path) === '/';
  if (isRoot && spec.persistentVolumeReclaimPolicy === 'Recycle') {
    const detail = "may not be 'recycle' for a hostPath mount of '/'";
    faults.push(forbiddenField(path.child('persistentVolumeReclaimPolicy'), detail));
  }
  return faults;
}

const nodeAffinity: Check<VolumeNodeAffinity> = (affinity, path) =>
  affinity?.required
    ? nodeSelector(affinity.required, path.child('required'))
    : [requiredField(path.child('required'), 'must specify required node constraints')];
