import { type BuiltinKind, builtinKind } from '../builtin-kind.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../generated/drafts.ts';
import { protect } from './protect.ts';

/** Kinds that the old `dataSource` field supports. All other kinds need `dataSourceRef`. */
const volumeSources: ReadonlyMap<string, string> = new Map([
  ['PersistentVolumeClaim', ''],
  ['VolumeSnapshot', 'snapshot.storage.k8s.io'],
]);

/** Persistent volume claims. */
export const persistentVolumeClaims: BuiltinKind = builtinKind<PersistentVolumeClaim>({
  resource: '/v1/persistentvolumeclaims',
  struct: 'v1.PersistentVolumeClaim',
  strategy: {
    prepareForCreate({ metadata, spec, status }) {
      protect(metadata, 'kubernetes.io/pvc-protection');
      delete status.phase;
      dropForeignSource(spec);
      dropUnknownSource(spec);
      mirrorSources(spec);
    },
    prepareForUpdate({ spec }, { spec: old }) {
      if (old.dataSourceRef === undefined) dropForeignSource(spec);
      if (old.dataSource === undefined && old.dataSourceRef === undefined) dropUnknownSource(spec);
      mirrorSources(spec);
    },
  },
  addStoredDefaults(claim) {
    claim.status ??= {};
    claim.status.phase ??= 'Pending';
  },
});

/** Drops a source in another namespace, because cross-namespace sources are off by default. */
function dropForeignSource(spec: PersistentVolumeClaimSpec): void {
  if (spec.dataSourceRef?.namespace) delete spec.dataSourceRef;
}

function dropUnknownSource(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (!dataSource || dataSourceRef) return;
  if (volumeSources.get(dataSource.kind) !== (dataSource.apiGroup ?? '')) delete spec.dataSource;
}

/** Keeps `dataSource` and `dataSourceRef` in sync. `dataSource` cannot name another namespace. */
function mirrorSources(spec: PersistentVolumeClaimSpec): void {
  const { dataSource, dataSourceRef } = spec;
  if (dataSource && !dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (!dataSource && dataSourceRef && !dataSourceRef.namespace) {
    const { namespace: _namespace, ...source } = dataSourceRef;
    spec.dataSource = source;
  }
}
