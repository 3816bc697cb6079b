import { type FieldError, invalidField, requiredField, unsupportedField } from '@kubewright/apimachinery';
import type {
  AWSElasticBlockStoreVolumeSource,
  AzureDiskVolumeSource,
  CephFSVolumeSource,
  CinderVolumeSource,
  FCVolumeSource,
  FlexVolumeSource,
  FlockerVolumeSource,
  GCEPersistentDiskVolumeSource,
  ISCSIVolumeSource,
  QuobyteVolumeSource,
  RBDVolumeSource,
  ScaleIOVolumeSource,
  StorageOSVolumeSource,
  Volume,
} from '../generated/drafts.ts';
import {
  all,
  between,
  type Check,
  enumOf,
  type FieldChecks,
  fields,
  optional,
  present,
  required,
  rule,
} from '../validation/check.ts';
import { dnsLabel } from '../validation/rules.ts';

// Upstream's message is wrong: 0 selects the whole device.
const partition = rule<number>((number) => number >= 0 && number <= 255, 'must be between 1 and 255, inclusive');

const initiatorForms: readonly RegExp[] = [
  /^iqn\.\d{4}-\d{2}\.[A-Za-z0-9.-]+:[^,;*&$|\s]+$/,
  /^eui.[A-Za-z0-9]{16}$/,
  /^naa.[A-Za-z0-9]{32}$/,
];

const initiator: Check<string> = (name = '', path) =>
  initiatorForms.some((form) => form.test(name)) ? [] : [invalidField(path, name, 'must be valid format')];

/** Like {@link initiator}, for a volume of a pod. */
const initiatorOfPod: Check<string> = (name = '', path) =>
  /^(iqn|eui|naa)/.test(name)
    ? initiator(name, path)
    : [invalidField(path, name, 'must be valid format starting with iqn, eui, or naa')];

const iscsi =
  (name: Check<string>): Check<ISCSIVolumeSource> =>
  (source, path) => [
    ...fields<ISCSIVolumeSource>({
      targetPortal: required(),
      iqn: required(name),
      lun: between(0, 255),
    })(source, path),
    ...((source?.chapAuthDiscovery || source?.chapAuthSession) && !source.secretRef
      ? [requiredField(path.child('secretRef'))]
      : []),
    ...present(name)(source?.initiatorName, path.child('initiatorname')),
  ];

/** Validates an iSCSI volume of a persistent volume. */
export const persistentIscsi: Check<ISCSIVolumeSource> = iscsi(initiator);

const fiberChannel: Check<FCVolumeSource> = (source, path) => {
  const { targetWWNs = [], wwids = [], lun } = source ?? {};
  const at = path.child('targetWWNs');
  const faults: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0)
    faults.push(requiredField(at, 'must specify either targetWWNs or wwids, but not both'));
  if (targetWWNs.length > 0 && wwids.length > 0)
    faults.push(invalidField(at, targetWWNs, 'targetWWNs and wwids can not be specified simultaneously'));
  if (targetWWNs.length === 0) return faults;
  if (lun === undefined)
    return [...faults, requiredField(path.child('lun'), 'lun is required if targetWWNs is specified')];
  return [...faults, ...between(0, 255)(lun, path.child('lun'))];
};

const flocker: Check<FlockerVolumeSource> = (source, path) => {
  const { datasetName, datasetUUID } = source ?? {};
  const faults: FieldError[] = [];
  if (!datasetName && !datasetUUID) faults.push(requiredField(path, 'one of datasetName and datasetUUID is required'));
  if (datasetName && datasetUUID)
    faults.push(invalidField(path, 'resource', 'datasetName and datasetUUID can not be specified simultaneously'));
  if (datasetName?.includes('/'))
    faults.push(invalidField(path.child('datasetName'), datasetName, "must not contain '/'"));
  return faults;
};

const flexVolume: Check<FlexVolumeSource> = fields<FlexVolumeSource>({
  driver: required(),
  options: (options, path) =>
    Object.keys(options ?? {}).flatMap((key) =>
      /\.(kubernetes|k8s)\.io$/.test(`.${key.split('/', 1)[0]?.toLowerCase()}`)
        ? [invalidField(path.key(key), key, 'kubernetes.io and k8s.io namespaces are reserved')]
        : [],
    ),
});

const managedDisk = '/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}';
const blobDisk = 'https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd';

const azureDisk: Check<AzureDiskVolumeSource> = all(
  fields<AzureDiskVolumeSource>({
    diskName: required(),
    diskURI: required(),
    cachingMode: present(enumOf('None', 'ReadOnly', 'ReadWrite')),
    kind: present(enumOf('Dedicated', 'Managed', 'Shared')),
  }),
  (source, path) => {
    const { kind, diskURI = '' } = source ?? {};
    if (kind === undefined) return [];
    const form = kind === 'Managed' ? managedDisk : blobDisk;
    const isFitting = diskURI.startsWith(kind === 'Managed' ? '/subscriptions/' : 'https://');
    return isFitting ? [] : [unsupportedField(path.child('diskURI'), diskURI, [form])];
  },
);

const quobyte: Check<QuobyteVolumeSource> = (source, path) => {
  const { registry = '', tenant = '' } = source ?? {};
  const at = path.child('registry');
  const detail = 'must be a host:port pair or multiple pairs separated by commas';
  const faults: FieldError[] = [];
  if (registry === '') faults.push(requiredField(at, detail));
  else if (tenant.length >= 65)
    faults.push(requiredField(path.child('tenant'), 'must be a UUID and may not exceed a length of 64 characters'));
  else
    faults.push(
      ...registry
        .split(',')
        .filter((pair) => !/^(\[[^\]]*\]|[^:[\]]*):[^:]*$/.test(pair))
        .map(() => invalidField(at, registry, detail)),
    );
  return [...faults, ...required()(source?.volume, path.child('volume'))];
};

const namedSecret = fields<{ name?: string | undefined }>({ name: required() });

/** Rules for the volumes of storage vendors, which pods and persistent volumes share. */
export const vendorVolumes: FieldChecks<Volume> = {
  gcePersistentDisk: fields<GCEPersistentDiskVolumeSource>({
    pdName: required(),
    partition,
  }),
  awsElasticBlockStore: fields<AWSElasticBlockStoreVolumeSource>({ volumeID: required(), partition }),
  iscsi: present(iscsi(initiatorOfPod)),
  glusterfs: fields({ endpoints: required(), path: required() }),
  flocker: present(flocker),
  rbd: fields<RBDVolumeSource>({ monitors: required(), image: required() }),
  cinder: fields<CinderVolumeSource>({ volumeID: required(), secretRef: present(namedSecret) }),
  cephfs: fields<CephFSVolumeSource>({ monitors: required() }),
  quobyte: present(quobyte),
  fc: present(fiberChannel),
  flexVolume,
  azureFile: fields({ secretName: required(), shareName: required() }),
  vsphereVolume: fields({ volumePath: required() }),
  photonPersistentDisk: fields({ pdID: required() }),
  portworxVolume: fields({ volumeID: required() }),
  azureDisk,
  storageos: fields<StorageOSVolumeSource>({
    volumeName: required(dnsLabel),
    volumeNamespace: optional(dnsLabel),
    secretRef: present(namedSecret),
  }),
  scaleIO: fields<ScaleIOVolumeSource>({ gateway: required(), system: required(), volumeName: required() }),
};
