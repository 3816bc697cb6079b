import {
  checkDns1123Subdomain,
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import { tooLongField } from '@kubewright/apimachinery/internal';
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  VolumeNodeResources,
} from '../generated/drafts.ts';
import {
  all,
  type Check,
  each,
  enumOf,
  fields,
  immutable,
  immutablePointer,
  nonNegative,
  present,
  required,
  rule,
  semanticEqual,
  unique,
} from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { dnsSubdomain, labelSelector, qualifiedName } from '../validation/rules.ts';
import { billionthsOf } from '../wire/quantity.ts';

/** Validates the name of a CSI driver. */
export const csiDriverName: Check<string> = required<string>((name = '', path) => [
  ...(name.length > 63 ? [tooLongField(path, { max: 63 })] : []),
  ...checkDns1123Subdomain(name.toLowerCase()).map((detail) => invalidField(path, name, detail)),
]);

const specPath = FieldPath.of('spec');

const driverSpec: Check<CSIDriverSpec> = all(
  fields<CSIDriverSpec>({
    fsGroupPolicy: present(enumOf('File', 'None', 'ReadWriteOnceWithFSType')),
    tokenRequests: (list, path) => tokenRequestFaults(list ?? [], path),
    volumeLifecycleModes: (modes, path) =>
      (modes ?? []).flatMap((mode) => enumOf('Persistent', 'Ephemeral')(mode, path)),
    nodeAllocatableUpdatePeriodSeconds: present(
      rule((seconds) => seconds >= 10, 'must be greater than or equal to 10 seconds'),
    ),
  }),
  (spec, path) => {
    const { serviceAccountTokenInSecrets: inSecrets, tokenRequests = [] } = spec ?? {};
    if (inSecrets === undefined || tokenRequests.length > 0) return [];
    const detail = 'serviceAccountTokenInSecrets is set but no tokenRequests are specified';
    return [invalidField(path.child('serviceAccountTokenInSecrets'), inSecrets, detail)];
  },
);

const nodeDriver: Check<CSINodeDriver> = all(
  fields<CSINodeDriver>({
    name: csiDriverName,
    nodeID: required(rule((id) => id.length <= 256, 'must be 256 characters or less')),
    allocatable: fields<VolumeNodeResources>({ count: present(nonNegative) }),
  }),
  // Upstream reports these errors at the driver instead of the key.
  (driver, path) => {
    const keys = driver?.topologyKeys ?? [];
    return keys.flatMap((key, index) => [
      ...(key === '' ? [requiredField(path)] : []),
      ...(keys.indexOf(key) < index ? [duplicateField(path, key)] : []),
      ...qualifiedName(key, path),
    ]);
  },
);

/** Validation of CSIDrivers, CSINodes and CSIStorageCapacities. */
export const csiValidation: readonly ValidationEntry[] = [
  validationOf<CSIDriver>('storage.k8s.io/v1/csidrivers', {
    validate: ({ spec }) => driverSpec(spec, specPath),
    warnings: ({ spec }, old) => tokenWarnings(spec, old?.spec),
    validateUpdate: ({ spec }, { spec: old }) => [
      // Upstream spells the field this way in the path.
      ...immutable(spec.attachRequired, { old: old.attachRequired, path: specPath.child('attachedRequired') }),
      ...immutable(spec.volumeLifecycleModes, {
        old: old.volumeLifecycleModes,
        path: specPath.child('volumeLifecycleModes'),
      }),
    ],
  }),
  validationOf<CSINode>('storage.k8s.io/v1/csinodes', {
    validate: ({ spec }) =>
      all(
        each(nodeDriver),
        unique<CSINodeDriver>(
          ({ name }) => name,
          (path) => path.child('name'),
        ),
      )(spec.drivers ?? [], specPath.child('drivers')),
    validateUpdate: ({ spec }, old) =>
      (old.spec.drivers ?? []).flatMap((before) =>
        (spec.drivers ?? [])
          .filter(({ name }) => name === before.name)
          .flatMap((now) =>
            immutable(
              { ...now, allocatable: undefined },
              { old: { ...before, allocatable: undefined }, path: specPath.child('drivers') },
            ),
          ),
      ),
  }),
  validationOf<CSIStorageCapacity>('storage.k8s.io/v1/csistoragecapacities', {
    validate: ({ nodeTopology, storageClassName, capacity }) => [
      ...present(labelSelector)(nodeTopology, FieldPath.of('nodeTopology')),
      ...dnsSubdomain(storageClassName, FieldPath.of('storageClassName')),
      ...(capacity !== undefined && billionthsOf(capacity) < 0n
        ? [invalidField(FieldPath.of('capacity'), capacity, 'must be greater than or equal to 0')]
        : []),
    ],
    validateUpdate: (now, old) => [
      ...immutablePointer(now.nodeTopology, { old: old.nodeTopology, path: FieldPath.of('nodeTopology') }),
      ...immutable(now.storageClassName, { old: old.storageClassName, path: FieldPath.of('storageClassName') }),
    ],
  }),
];

function tokenWarnings(spec: CSIDriverSpec, old: CSIDriverSpec | undefined): readonly string[] {
  const { tokenRequests = [], serviceAccountTokenInSecrets } = spec;
  if (tokenRequests.length === 0 || serviceAccountTokenInSecrets !== undefined) return [];
  if (old && semanticEqual(tokenRequests, old.tokenRequests)) return [];
  return [
    'spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes',
  ];
}

function tokenRequestFaults(list: NonNullable<CSIDriverSpec['tokenRequests']>, path: FieldPath): readonly FieldError[] {
  const seen = new Set<string>();
  return list.flatMap(({ audience, expirationSeconds: seconds }, index) => {
    const at = path.index(index);
    if (seen.has(audience)) return [duplicateField(at.child('audience'), audience)];
    seen.add(audience);
    if (seconds === undefined) return [];
    const expiration = at.child('expirationSeconds');
    if (seconds < 600) return [invalidField(expiration, seconds, 'may not specify a duration less than 10 minutes')];
    if (seconds <= 2 ** 32) return [];
    return [invalidField(expiration, seconds, 'may not specify a duration larger than 2^32 seconds')];
  });
}
