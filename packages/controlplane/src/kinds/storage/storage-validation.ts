import {
  checkDns1123Subdomain,
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import { inlineVolumeSpec } from '../core/volume-spec-validation.ts';
import type {
  StorageClass,
  TopologySelectorLabelRequirement,
  TopologySelectorTerm,
  VolumeAttachment,
  VolumeAttachmentSource,
  VolumeAttachmentStatus,
  VolumeAttributesClass,
  VolumeError,
} from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  immutable,
  objectFields,
  optional,
  present,
  required,
  rule,
  semanticEqual,
  unique,
} from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsSubdomain, qualifiedName } from '../validation/rules.ts';
import { csiDriverName, csiValidation } from './csi-validation.ts';

const specPath = FieldPath.of('spec');
const statusPath = FieldPath.of('status');
const classFixed = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

/** Validates the name of a provisioner, which may contain upper-case letters. */
const provisioner: Check<string> = required<string>((name, path) => qualifiedName(name?.toLowerCase(), path));

const parameters: Check<Record<string, string>> = (map, path) => {
  const entries = Object.entries(map ?? {});
  if (entries.length > 512) return [tooLongField(path, { max: 512 })];
  const faults = entries.some(([key]) => key === '') ? [invalidField(path, '', 'field can not be empty.')] : [];
  const size = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return size > 262_144 ? [...faults, tooLongField(path, { max: 262_144 })] : faults;
};

const topologyTerm: Check<TopologySelectorTerm> = fields<TopologySelectorTerm>({
  matchLabelExpressions: all(
    each(
      fields<TopologySelectorLabelRequirement>({
        key: qualifiedName,
        values: all(
          required(),
          unique<string>((value) => value),
        ),
      }),
    ),
    unique<TopologySelectorLabelRequirement>(
      ({ key }) => key,
      (path) => path.child('key'),
    ),
  ),
});

/**
 * Requires that terms differ. A term without expressions counts as a duplicate even if it is the only term. This
 * reproduces an upstream bug.
 */
const topologies: Check<readonly TopologySelectorTerm[]> = (terms = [], path) => {
  const seen = new Set([valuesByKey({})]);
  return terms.flatMap((term, index) => {
    const values = valuesByKey(term);
    const at = path.index(index);
    const duplicates = seen.has(values) ? [duplicateField(at.child('matchLabelExpressions'), '')] : [];
    seen.add(values);
    return [...topologyTerm(term, at), ...duplicates];
  });
};

/** Returns the same text for terms with the same values, in any order. */
function valuesByKey({ matchLabelExpressions }: TopologySelectorTerm): string {
  const values = new Map((matchLabelExpressions ?? []).map((one) => [one.key, [...new Set(one.values)].sort()]));
  return JSON.stringify([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Validation of the storage group. */
export const storageValidation: readonly ValidationEntry[] = [
  validationOf<StorageClass>('storage.k8s.io/v1/storageclasses', {
    validate: objectFields<StorageClass>({
      provisioner,
      parameters,
      reclaimPolicy: optional(enumOf('Delete', 'Retain')),
      volumeBindingMode: present(enumOf('Immediate', 'WaitForFirstConsumer')),
      allowedTopologies: topologies,
    }),
    validateUpdate: (now, old) =>
      classFixed.flatMap((name) => immutable(now[name], { old: old[name], path: FieldPath.of(name) })),
  }),
  validationOf<VolumeAttributesClass>('storage.k8s.io/v1/volumeattributesclasses', {
    validate: objectFields<VolumeAttributesClass>({
      driverName: provisioner,
      parameters: all(parameters, required(undefined, 'must contain at least one key/value pair')),
    }),
    validateUpdate: (now, old) =>
      (['driverName', 'parameters'] as const).flatMap((name) =>
        semanticEqual(now[name], old[name])
          ? []
          : [forbiddenField(FieldPath.of(name), `updates to ${name} are forbidden.`)],
      ),
  }),
  validationOf<VolumeAttachment>('storage.k8s.io/v1/volumeattachments', {
    validate: ({ spec, status }) => [
      ...fields<VolumeAttachment['spec']>({
        attacher: csiDriverName,
        source: attachmentSource,
        nodeName: dnsSubdomain,
      })(spec, specPath),
      ...attachmentStatus(status, statusPath),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec, { old: old.spec, path: specPath }),
  }),
  validationOf<VolumeAttachment>('storage.k8s.io/v1/volumeattachments/status', {
    validate: ({ status }) => attachmentStatus(status, statusPath),
  }),
  ...csiValidation,
];

const attachmentSource: Check<VolumeAttachmentSource> = (source, path) => {
  const { persistentVolumeName: name, inlineVolumeSpec: inline } = source ?? {};
  const detail = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';
  if (name === undefined && inline === undefined) return [requiredField(path, detail)];
  const faults: FieldError[] = name !== undefined && inline !== undefined ? [forbiddenField(path, detail)] : [];
  if (inline && name === undefined) return inlineVolumeSpec(inline, path.child('inlineVolumeSpec'));
  if (name === undefined) return faults;
  const at = path.child('persistentVolumeName');
  if (name === '' && inline === undefined)
    faults.push(requiredField(at, 'must specify non empty persistentVolumeName'));
  return [...faults, ...checkDns1123Subdomain(name).map((fault) => invalidField(at, name, fault))];
};

const volumeError: Check<VolumeError> = fields<VolumeError>({
  message: (text, path) => ((text ?? '').length > 1024 ? [tooLongField(path, { max: 262_144 })] : []),
  errorCode: present(rule((code) => code >= 0, 'must be between 0 and 2147483647, inclusive')),
});

const attachmentStatus: Check<VolumeAttachmentStatus> = fields<VolumeAttachmentStatus>({
  attachError: volumeError,
  detachError: volumeError,
});
