import { FieldPath, forbiddenField } from '@kubewright/apimachinery';
import type { PersistentVolume, PersistentVolumeClaim } from '../generated/drafts.ts';
import { immutable, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { claimStatusFaults } from './claim-status-validation.ts';
import { claimChanges, claimSpec } from './claim-validation.ts';
import { claimSpecWarnings } from './claim-warnings.ts';
import { volumeSources, volumeSpecFaults } from './volume-spec-validation.ts';

const specPath = FieldPath.of('spec');
/** Validation of persistent volumes and claims. */
export const volumeObjectValidation: readonly ValidationEntry[] = [
  validationOf<PersistentVolume>('/v1/persistentvolumes', {
    validate: ({ spec }) => volumeSpecFaults(spec, specPath),
    validateUpdate: ({ spec }, old) => {
      const before = Object.fromEntries(volumeSources.map((name) => [name, old.spec[name]]));
      const now = Object.fromEntries(volumeSources.map((name) => [name, spec[name]]));
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
