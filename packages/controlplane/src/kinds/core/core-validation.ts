import {
  checkDns1123Label,
  checkLabelValue,
  checkQualifiedName,
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  Namespace,
  Node,
  NodeSpec,
  NodeStatus,
  PodTemplate,
  ReplicationController,
  Taint,
} from '../generated/drafts.ts';
import {
  type Check,
  each,
  enumOf,
  fields,
  isEmpty,
  nonNegative,
  required,
  semanticEqual,
} from '../validation/check.ts';
import { cidr } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { qualifiedName } from '../validation/rules.ts';
import { sortedKeys } from '../validation/sorted-keys.ts';
import { templateFaults } from '../validation/template-validation.ts';
import { quantityFaults } from './resources-validation.ts';
import { templateWarnings } from './template-warnings.ts';

const specPath = FieldPath.of('spec');
const finalizersPath = specPath.child('finalizers');
/** Validation of the smaller kinds of the core group. */
export const coreValidation: readonly ValidationEntry[] = [
  validationOf<Namespace>('/v1/namespaces', {
    validateName: checkDns1123Label,
    validate: ({ spec }) => (spec.finalizers ?? []).flatMap((name) => finalizerFaults(name, finalizersPath)),
  }),
  validationOf<Namespace>('/v1/namespaces/status', {
    validateUpdate: ({ metadata, status }) => {
      const [phase, when] = metadata.deletionTimestamp ? ['Terminating', 'is not empty'] : ['Active', 'is empty'];
      if (status.phase === phase) return [];
      const detail = `may only be '${phase}' if \`deletionTimestamp\` ${when}`;
      return [invalidField(FieldPath.of('status', 'Phase'), status.phase ?? '', detail)];
    },
  }),
  validationOf<Namespace>('/v1/namespaces/finalize', {
    validate: ({ spec }) =>
      (spec.finalizers ?? []).flatMap((name, i) => finalizerFaults(name, finalizersPath.index(i))),
  }),
  validationOf<Node>('/v1/nodes', {
    warnings: nodeWarnings,
    // Kubelets create their nodes with a status.
    validate: ({ spec, status }) => [
      ...nodeFaults(spec),
      ...capacityFaults(status),
      ...declaredFeatureFaults(status),
      ...swapFaults(status),
    ],
    validateUpdate: ({ spec }, old) => nodeChanges(spec, old.spec),
  }),
  validationOf<Node>('/v1/nodes/status', {
    validateUpdate: ({ status }) => [
      ...capacityFaults(status),
      ...declaredFeatureFaults(status),
      ...duplicateAddresses(status),
    ],
  }),
  validationOf<ReplicationController>('/v1/replicationcontrollers', {
    validate: controllerFaults,
    // Upstream mixes up the objects: an update warns about the old template.
    warnings: (controller, old) =>
      old ? controllerWarnings(old, controller) : controllerWarnings(controller, undefined),
  }),
  validationOf<PodTemplate>('/v1/podtemplates', {
    validate: ({ template }) =>
      templateFaults(template, { path: FieldPath.of('template'), restartPolicies: ['Always', 'OnFailure', 'Never'] }),
    warnings: templateWarnings(({ template }) => template, FieldPath.of('template')),
  }),
];

const controllerWarnings = templateWarnings<ReplicationController>(
  ({ spec }) => spec.template ?? undefined,
  FieldPath.of('spec', 'template'),
);

function finalizerFaults(name: string, path: FieldPath): readonly FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => invalidField(path, name, detail));
  if (name.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(name)) return faults;
  return [...faults, invalidField(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

const taint: Check<Taint> = (value, path) => {
  if (!value) return [];
  const effects = required(enumOf('NoSchedule', 'PreferNoSchedule', 'NoExecute'));
  return [
    ...qualifiedName(value.key, path.child('key')),
    ...checkLabelValue(value.value ?? '').map((detail) => invalidField(path.child('value'), value.value, detail)),
    ...effects(value.effect, path.child('effect')),
  ];
};

function nodeFaults(spec: NodeSpec): readonly FieldError[] {
  // Upstream reports this path, although taints are in the spec.
  const path = FieldPath.of('metadata', 'taints');
  const seen = new Set<string>();
  const duplicates = (spec.taints ?? []).flatMap((one, index) => {
    const key = `${one.effect}/${one.key}`;
    if (!seen.has(key)) {
      seen.add(key);
      return [];
    }
    const shown = { Key: one.key, Value: one.value ?? '', Effect: one.effect, TimeAdded: one.timeAdded ?? null };
    const body = `Duplicate value: ${JSON.stringify(shown)}: taints must be unique by key and effect pair`;
    return [{ type: 'FieldValueDuplicate' as const, field: String(path.index(index)), body }];
  });
  return [...each(taint)(spec.taints, path), ...duplicates, ...each(cidr)(spec.podCIDRs, specPath.child('podCIDRs'))];
}

/** Validates the quantities of a node's resources. */
function capacityFaults(status: NodeStatus): readonly FieldError[] {
  return (['capacity', 'allocatable'] as const).flatMap((field) =>
    Object.entries(status[field] ?? {}).flatMap(([name, amount]) =>
      quantityFaults({ name, amount, path: FieldPath.of('status', field, name) }),
    ),
  );
}

function duplicateAddresses({ addresses }: NodeStatus): readonly FieldError[] {
  const seen = new Set<string>();
  return (addresses ?? []).flatMap((address, index) => {
    const { type, address: at } = address;
    const key = JSON.stringify([type, at]);
    if (seen.has(key))
      return [duplicateField(FieldPath.of('status', 'addresses').index(index), { Type: type, Address: at })];
    seen.add(key);
    return [];
  });
}

function swapFaults({ nodeInfo }: NodeStatus): readonly FieldError[] {
  // Upstream reports this path, although the field is in the status.
  const path = FieldPath.of('metadata', 'nodeSwapStatus', 'capacity');
  const capacity = nodeInfo?.swap?.capacity;
  return capacity !== undefined && capacity !== null && capacity <= 0
    ? [invalidField(path, capacity, 'must be greater than zero')]
    : [];
}

const featureForm = /^[A-Z][a-zA-Z0-9]*(\/[a-zA-Z][a-zA-Z0-9]*)*$/;

function declaredFeatureFaults({ declaredFeatures: features = [] }: NodeStatus): readonly FieldError[] {
  const path = FieldPath.of('status', 'declaredFeatures');
  return features.flatMap((feature, index) => {
    const at = path.index(index);
    const before = features[index - 1];
    const form =
      "must start with an UpperCamelCase segment, with subsequent segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes";
    const fault = feature.length > 253 ? 'must be no more than 253 characters' : featureForm.test(feature) ? '' : form;
    return [
      ...(feature === before ? [duplicateField(at, feature)] : []),
      ...(before !== undefined && before > feature
        ? [invalidField(at, feature, 'list must be sorted alphabetically')]
        : []),
      ...(fault === '' ? [] : [invalidField(at, feature, `invalid feature name ${JSON.stringify(feature)}: ${fault}`)]),
    ];
  });
}

function nodeWarnings({ spec }: Node): readonly string[] {
  return [
    ...(spec.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(spec.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ];
}

/** Rejects changes to fields that can be set only once. */
function nodeChanges(spec: NodeSpec, old: NodeSpec): readonly FieldError[] {
  const once = (name: 'podCIDRs' | 'providerID', shown: string): readonly FieldError[] =>
    isEmpty(old[name]) || semanticEqual(spec[name], old[name])
      ? []
      : [forbiddenField(specPath.child(name), `node updates may not change ${shown} except from "" to valid`)];
  const externalId = specPath.child('externalID');
  return [
    ...once('podCIDRs', 'podCIDR'),
    ...once('providerID', 'providerID'),
    ...((spec.externalID ?? '') === (old.externalID ?? '') ? [] : [forbiddenField(externalId, 'may not be updated')]),
  ];
}

function controllerFaults({ spec }: ReplicationController): readonly FieldError[] {
  const faults: FieldError[] = [];
  // Upstream does not check the form of the selector's keys and values.
  if (isEmpty(spec.selector)) faults.push(requiredField(specPath.child('selector')));
  faults.push(...fields<typeof spec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, specPath));
  if (!spec.template) return [...faults, requiredField(specPath.child('template'))];
  const path = specPath.child('template');
  const given = spec.template.metadata.labels ?? {};
  if (Object.entries(spec.selector ?? {}).some(([key, value]) => given[key] !== value)) {
    const shown = isEmpty(given) ? null : sortedKeys(given);
    faults.push(invalidField(path.child('metadata', 'labels'), shown, '`selector` does not match template `labels`'));
  }
  return [...faults, ...templateFaults(spec.template, { path, workload: 'ReplicationController' })];
}
