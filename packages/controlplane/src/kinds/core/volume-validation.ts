import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  ConfigMapVolumeSource,
  CSIVolumeSource,
  EmptyDirVolumeSource,
  GitRepoVolumeSource,
  HostPathVolumeSource,
  ImageVolumeSource,
  NFSVolumeSource,
  PersistentVolumeClaimTemplate,
  SecretVolumeSource,
  Volume,
} from '../generated/drafts.ts';
import { csiDriverName } from '../storage/csi-validation.ts';
import { all, type Check, each, enumOf, fields, optional, present, required, rule } from '../validation/check.ts';
import { dnsLabel, dnsSubdomain, noParentSteps, relativePath } from '../validation/rules.ts';
import { templateMetadata } from '../validation/template-metadata.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { claimSpec } from './claim-validation.ts';
import { downwardAPI, item, mode, projected } from './projected-volume-validation.ts';
import { vendorVolumes } from './vendor-volume-validation.ts';

const hostPathTypes = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];

/** Validates a host path volume of a pod or a persistent volume. */
export const hostPath: Check<HostPathVolumeSource> = fields<HostPathVolumeSource>({
  path: required(noParentSteps),
  type: present(enumOf(...hostPathTypes)),
});

const secret: Check<SecretVolumeSource> = fields<SecretVolumeSource>({
  secretName: required(),
  defaultMode: mode,
  items: each(item),
});

const configMap: Check<ConfigMapVolumeSource> = fields<ConfigMapVolumeSource>({
  name: required(),
  defaultMode: mode,
  items: each(item),
});

const emptyDir: Check<EmptyDirVolumeSource> = (value, path) =>
  billionthsOf(value?.sizeLimit) < 0n
    ? [forbiddenField(path.child('sizeLimit'), 'SizeLimit field must be a valid resource quantity')]
    : [];

const claimTemplate: Check<PersistentVolumeClaimTemplate> = (template, path) => [
  ...templateMetadata(template?.metadata, path.child('metadata')),
  ...claimSpec(template?.spec, path.child('spec')),
];

/** Validates an NFS volume of a pod or a persistent volume. */
export const nfs: Check<NFSVolumeSource> = fields<NFSVolumeSource>({
  server: required(),
  path: all(
    required(),
    rule((path) => path.startsWith('/'), 'must be an absolute path'),
  ),
});

const source: Check<Volume> = fields<Volume>({
  ...vendorVolumes,
  emptyDir,
  hostPath,
  secret,
  configMap,
  persistentVolumeClaim: fields({ claimName: required() }),
  downwardAPI,
  projected,
  gitRepo: fields<GitRepoVolumeSource>({ repository: required(), directory: optional(relativePath) }),
  image: fields<ImageVolumeSource>({ pullPolicy: required(enumOf('Always', 'IfNotPresent', 'Never')) }),
  nfs,
  csi: all(fields<CSIVolumeSource>({ driver: csiDriverName }), (source, path) => {
    const reference = source?.nodePublishSecretRef;
    if (!reference) return [];
    // Upstream omits the reference from the path of a malformed name.
    return reference.name
      ? dnsSubdomain(reference.name, path.child('name'))
      : [requiredField(path.child('nodePublishSecretRef', 'name'))];
  }),
  ephemeral: (value, path) => {
    if (!value) return [];
    const at = path.child('volumeClaimTemplate');
    return value.volumeClaimTemplate ? claimTemplate(value.volumeClaimTemplate, at) : [requiredField(at)];
  },
});

/** Volume sources in the order in which upstream checks them. */
const sources: readonly (keyof Volume)[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'storageos',
  'projected',
  'scaleIO',
  'csi',
  'ephemeral',
  'image',
];

const oneSource: Check<Volume> = (volume, path) => {
  if (!volume) return [];
  const given = sources.filter((name) => volume[name]);
  const [first, ...others] = given;
  if (first === undefined) return [requiredField(path, 'must specify a volume type')];
  const faults: FieldError[] = [...source({ name: volume.name, [first]: volume[first] }, path)].map((fault) =>
    // Upstream reports this source under another name.
    first === 'gcePersistentDisk'
      ? { ...fault, field: fault.field.replace('.gcePersistentDisk', '.persistentDisk') }
      : fault,
  );
  // Upstream reports `cephfs` as `cephFS`.
  for (const other of others)
    faults.push(
      forbiddenField(path.child(other === 'cephfs' ? 'cephFS' : other), 'may not specify more than 1 volume type'),
    );
  return faults;
};

const oneVolume: Check<Volume> = all(oneSource, fields<Volume>({ name: required(dnsLabel) }));

/**
 * Validates the volumes of a pod: unique names, and one source each. Also returns the valid volumes, because only these can be
 * mounted.
 */
export function checkVolumes(
  list: readonly Volume[],
  path: FieldPath,
): { readonly faults: readonly FieldError[]; readonly valid: readonly Volume[] } {
  const names = new Set<string>();
  const faults: FieldError[] = [];
  const valid: Volume[] = [];
  for (const [index, volume] of list.entries()) {
    const at = path.index(index);
    const own = [...oneVolume(volume, at)];
    if (names.has(volume.name)) own.push(duplicateField(at.child('name'), volume.name));
    faults.push(...own);
    if (own.length > 0) continue;
    names.add(volume.name);
    valid.push(volume);
  }
  return { faults, valid };
}
