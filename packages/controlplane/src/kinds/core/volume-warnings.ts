import type { FieldPath } from '@kubewright/apimachinery';
import type { Volume, VolumeProjection } from '../generated/drafts.ts';
import { claimSpecWarnings } from './claim-warnings.ts';

/** Deprecated and removed volume types: the field, its name in the warning, and its history. */
const deprecated: readonly (readonly [field: keyof Volume, shown: string, text: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Returns warnings for volumes that no longer work, and for files that would overwrite each other. */
export function volumeWarnings(volumes: readonly Volume[], path: FieldPath): readonly string[] {
  return [
    ...volumes.flatMap((volume, index) => [
      ...deprecated
        .filter(([field]) => volume[field])
        .map(([, shown, text]) => `${path.index(index).child(shown)}: ${text}`),
      ...claimSpecWarnings(
        volume.ephemeral?.volumeClaimTemplate?.spec,
        path.index(index).child('ephemeral', 'volumeClaimTemplate', 'spec'),
      ),
    ]),
    ...volumes.flatMap(overlapsOf),
  ];
}

interface File {
  readonly path: string;
  readonly source: string;
}

function overlapsOf(volume: Volume): readonly string[] {
  const { name, configMap, secret, downwardAPI, projected } = volume;
  const of = (files: readonly File[], description: string): readonly string[] =>
    overlaps(files).map((text) => `volume "${name}" (${description}): overlapping paths: ${text}`);
  const plain = (items: readonly { path: string }[] | null | undefined): File[] =>
    (items ?? []).map(({ path }) => ({ path, source: '' }));
  const empty = (projected?.sources ?? []).filter((source) => Object.values(source).every((value) => value == null));
  return [
    ...of(plain(configMap?.items), `ConfigMap "${configMap?.name ?? ''}"`),
    ...of(plain(secret?.items), `Secret "${secret?.secretName ?? ''}"`),
    ...of(plain(downwardAPI?.items), 'DownwardAPI'),
    ...empty.map(() => `volume "${name}" (Projected) has no sources provided`),
    ...of((projected?.sources ?? []).flatMap(filesOf), 'Projected'),
  ];
}

function filesOf({ configMap, secret, downwardAPI, serviceAccountToken }: VolumeProjection): readonly File[] {
  const named = (items: readonly { path: string }[], source: string): File[] =>
    items.map(({ path }) => ({ path, source }));
  if (configMap?.items) return named(configMap.items, `ConfigMap "${configMap.name ?? ''}"`);
  if (secret?.items) return named(secret.items, `Secret "${secret.name ?? ''}"`);
  if (downwardAPI?.items) return named(downwardAPI.items, 'DownwardAPI');
  return serviceAccountToken ? named([serviceAccountToken], 'ServiceAccountToken') : [];
}

/** Describes pairs of files whose paths are equal or nested. */
function overlaps(files: readonly File[]): readonly string[] {
  const show = ({ path, source }: File): string => `"${path}"${source === '' ? '' : ` (${source})`}`;
  const byPath = new Map<string, File[]>();
  const below = new Map<string, File[]>();
  return files.flatMap(({ path, source }) => {
    const file = { path: path.replace(/\/+$/, ''), source };
    if (file.path === '') return [];
    const parents = [...file.path.matchAll(/\//g)].map(({ index }) => file.path.slice(0, index));
    const found = [file.path, ...parents].flatMap((other) => byPath.get(other) ?? []);
    found.push(...(below.get(file.path) ?? []));
    byPath.set(file.path, [...(byPath.get(file.path) ?? []), file]);
    for (const parent of parents) below.set(parent, [...(below.get(parent) ?? []), file]);
    return found.map((other) => `${show(file)} with ${show(other)}`);
  });
}
