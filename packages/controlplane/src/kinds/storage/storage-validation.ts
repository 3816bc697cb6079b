import { type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import type { CSIDriver, StorageClass } from '../generated/drafts.ts';
import { enumOf, immutable, present, required, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { qualifiedName } from '../validation/rules.ts';

const CLASS_FIXED = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const;

/** Validation of the storage group. */
export const storageValidation: readonly ValidationEntry[] = [
  validationOf<StorageClass>('storage.k8s.io/v1/storageclasses', {
    validate: (storageClass) => [
      ...required<string>((name, path) => qualifiedName(name?.toLowerCase(), path))(
        storageClass.provisioner,
        FieldPath.of('provisioner'),
      ),
      ...parameterFaults(storageClass),
      ...present(enumOf('Delete', 'Retain'))(storageClass.reclaimPolicy, FieldPath.of('reclaimPolicy')),
      ...present(enumOf('Immediate', 'WaitForFirstConsumer'))(
        storageClass.volumeBindingMode,
        FieldPath.of('volumeBindingMode'),
      ),
    ],
    validateUpdate: (now, old) => CLASS_FIXED.flatMap((name) => changed(name, { now, old })),
  }),
  validationOf<CSIDriver>('storage.k8s.io/v1/csidrivers', {
    validate: ({ spec }) => {
      const path = FieldPath.of('spec');
      const modes = path.child('volumeLifecycleModes');
      return [
        ...present(enumOf('File', 'None', 'ReadWriteOnceWithFSType'))(spec.fsGroupPolicy, path.child('fsGroupPolicy')),
        ...(spec.volumeLifecycleModes ?? []).flatMap((mode) => enumOf('Persistent', 'Ephemeral')(mode, modes)),
      ];
    },
    validateUpdate: ({ spec }, old) =>
      immutable(spec.volumeLifecycleModes, {
        old: old.spec.volumeLifecycleModes,
        path: FieldPath.of('spec', 'volumeLifecycleModes'),
      }),
  }),
];

function parameterFaults({ parameters = {} }: StorageClass): readonly FieldError[] {
  return Object.keys(parameters).includes('')
    ? [invalidField(FieldPath.of('parameters'), '', 'field can not be empty.')]
    : [];
}

function changed(
  name: (typeof CLASS_FIXED)[number],
  change: { readonly now: StorageClass; readonly old: StorageClass },
): readonly FieldError[] {
  if (semanticEqual(change.now[name], change.old[name])) return [];
  const path = FieldPath.of(name);
  if (name === 'parameters' || name === 'provisioner')
    return [forbiddenField(path, `updates to ${name} are forbidden.`)];
  return [invalidField(path, change.now[name] ?? null, 'field is immutable')];
}
