import { type FieldError, forbiddenField, requiredField } from '@kubewright/apimachinery';
import type {
  ConfigMapVolumeSource,
  DownwardAPIVolumeFile,
  EmptyDirVolumeSource,
  HostPathVolumeSource,
  KeyToPath,
  PersistentVolumeClaimTemplate,
  SecretVolumeSource,
  Volume,
} from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  present,
  required,
  rule,
  unique,
} from '../validation/check.ts';
import { dnsLabel, labels, noParentSteps, relativePath } from '../validation/rules.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { claimSpec } from './claim-validation.ts';
import { resourceField, volumeField } from './env-validation.ts';

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

const mode: Check<number> = rule(
  (bits) => bits >= 0 && bits <= 0o777,
  'must be a number between 0 and 0777 (octal), both inclusive',
);

const item: Check<KeyToPath> = fields<KeyToPath>({ key: required(), path: required(relativePath), mode });

/** A host path volume, also used by persistent volumes. */
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

const downwardFile: Check<DownwardAPIVolumeFile> = fields<DownwardAPIVolumeFile>({
  path: required(relativePath),
  fieldRef: volumeField,
  resourceFieldRef: resourceField,
  mode,
});

/** A claim template: of its metadata, only labels and annotations are used. */
const claimTemplate: Check<PersistentVolumeClaimTemplate> = (template, path) => {
  const { metadata = {}, spec } = template ?? {};
  const at = path.child('metadata');
  const extra = Object.entries(metadata).filter(([name]) => name !== 'labels' && name !== 'annotations');
  return [
    ...labels(metadata.labels, at.child('labels')),
    ...extra.flatMap(([name, value]) => (isEmpty(value) ? [] : [forbiddenField(at.child(name), 'cannot be set')])),
    ...claimSpec(spec, path.child('spec')),
  ];
};

const source: Check<Volume> = fields<Volume>({
  emptyDir,
  hostPath,
  secret,
  configMap,
  persistentVolumeClaim: fields({ claimName: required() }),
  // Upstream reports these without the item's index.
  downwardAPI: (value, path) => (value?.items ?? []).flatMap((file) => downwardFile(file, path)),
  nfs: fields({ server: required(), path: required() }),
  csi: fields({ driver: required() }),
  ephemeral: (value, path) => {
    if (!value) return [];
    const at = path.child('volumeClaimTemplate');
    return value.volumeClaimTemplate ? claimTemplate(value.volumeClaimTemplate, at) : [requiredField(at)];
  },
});

/** Sources in the order in which upstream checks them. */
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
  const faults: FieldError[] = [...source({ name: volume.name, [first]: volume[first] }, path)];
  for (const other of others) faults.push(forbiddenField(path.child(other), 'may not specify more than 1 volume type'));
  return faults;
};

/** The volumes of a pod: unique names, one source each. */
export const volumes: Check<Volume[]> = all(
  each(all(oneSource, fields<Volume>({ name: required(dnsLabel) }))),
  unique(
    ({ name }) => name,
    (path) => path.child('name'),
  ),
);
