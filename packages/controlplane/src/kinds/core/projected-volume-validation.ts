import { type FieldError, type FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type {
  DownwardAPIVolumeFile,
  DownwardAPIVolumeSource,
  KeyToPath,
  ProjectedVolumeSource,
  ServiceAccountTokenProjection,
  VolumeProjection,
} from '../generated/drafts.ts';
import { type Check, each, fields, required, rule } from '../validation/check.ts';
import { relativePath } from '../validation/rules.ts';
import { fileResourceField, volumeField } from './env-validation.ts';

/** Validates the permission bits of a file. */
export const mode: Check<number> = rule(
  (bits) => bits >= 0 && bits <= 0o777,
  'must be a number between 0 and 0777 (octal), both inclusive',
);

/** Validates a key of a ConfigMap or Secret and the file that it becomes. */
export const item: Check<KeyToPath> = fields<KeyToPath>({ key: required(), path: required(filePath), mode });

/** Validates the path of a file in a volume. The kubelet reserves names that start with `..`. */
function filePath(value: string | undefined, path: FieldPath): readonly FieldError[] {
  const faults = relativePath(value, path);
  if (value?.startsWith('..') && !value.startsWith('../') && value !== '..') {
    return [...faults, invalidField(path, value, "must not start with '..'")];
  }
  return faults;
}

const downwardFile: Check<DownwardAPIVolumeFile> = (file, path) => {
  if (!file) return [];
  const faults: FieldError[] = [...required<string>()(file.path, path.child('path'))];
  if (file.path) faults.push(...filePath(file.path, path.child('path')));
  if (file.fieldRef) {
    faults.push(...volumeField(file.fieldRef, path.child('fieldRef')));
    const detail = 'fieldRef and resourceFieldRef can not be specified simultaneously';
    if (file.resourceFieldRef) faults.push(invalidField(path, 'resource', detail));
  } else if (file.resourceFieldRef) {
    faults.push(...fileResourceField(file.resourceFieldRef, path.child('resourceFieldRef')));
  } else faults.push(requiredField(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...faults, ...mode(file.mode, path.child('mode'))];
};

/** Validates a downward API volume. As in upstream, the paths of errors in its files have no index. */
export const downwardAPI: Check<DownwardAPIVolumeSource> = (value, path) => [
  ...mode(value?.defaultMode, path.child('defaultMode')),
  ...(value?.items ?? []).flatMap((file) => downwardFile(file, path)),
];

const minTokenSeconds = 600;
const maxTokenSeconds = 2 ** 32;

function tokenFaults(
  token: ServiceAccountTokenProjection,
  { source, volume }: { readonly source: FieldPath; readonly volume: FieldPath },
): readonly FieldError[] {
  const at = source.child('serviceAccountToken', 'expirationSeconds');
  const seconds = token.expirationSeconds ?? 0;
  return [
    ...(seconds < minTokenSeconds
      ? [invalidField(at, seconds, 'may not specify a duration less than 10 minutes')]
      : []),
    ...(seconds > maxTokenSeconds
      ? [invalidField(at, seconds, 'may not specify a duration larger than 2^32 seconds')]
      : []),
    // Upstream reports errors in the token's path at the volume.
    ...required<string>(filePath)(token.path, volume.child('path')),
  ];
}

/** Validates one source. `taken` holds the paths of earlier sources. */
function sourceFaults(
  source: VolumeProjection,
  { path, volume, taken }: { readonly path: FieldPath; readonly volume: FieldPath; readonly taken: Set<string> },
): readonly FieldError[] {
  const faults: FieldError[] = [];
  const claim = (file: string | undefined, shown: string | undefined): void => {
    if (!file) return;
    if (taken.has(file)) faults.push(invalidField(volume, shown ?? '', 'conflicting duplicate paths'));
    taken.add(file);
  };
  for (const kind of ['secret', 'configMap'] as const) {
    const given = source[kind];
    if (!given) continue;
    faults.push(...required<string>()(given.name, path.child(kind, 'name')));
    faults.push(...each(item)(given.items ?? undefined, path.child(kind, 'items')));
    for (const { path: file } of given.items ?? []) claim(file, given.name);
  }
  for (const file of source.downwardAPI?.items ?? []) {
    faults.push(...downwardFile(file, path.child('downwardAPI')));
    claim(file.path, file.path);
  }
  if (source.serviceAccountToken) faults.push(...tokenFaults(source.serviceAccountToken, { source: path, volume }));
  const count = Object.values(source).filter((value) => value !== undefined && value !== null).length;
  if (count > 1) faults.push(forbiddenField(path, 'may not specify more than 1 volume type per source'));
  return faults;
}

/** Validates a volume that combines several sources. Their paths must differ. */
export const projected: Check<ProjectedVolumeSource> = (value, path) => {
  if (!value) return [];
  const taken = new Set<string>();
  const list = path.child('sources');
  return [
    ...mode(value.defaultMode, path.child('defaultMode')),
    ...(value.sources ?? []).flatMap((source, index) =>
      sourceFaults(source, { path: list.index(index), volume: path, taken }),
    ),
  ];
};
