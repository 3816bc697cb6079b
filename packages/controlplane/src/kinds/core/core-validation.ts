import {
  checkDns1123Label,
  checkQualifiedName,
  type FieldError,
  FieldPath,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  Event,
  Namespace,
  Node,
  NodeSpec,
  PodTemplate,
  ReplicationController,
  Taint,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, fields, isEmpty, nonNegative } from '../validation/check.ts';
import { cidr } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { labels, qualifiedName } from '../validation/rules.ts';
import { templateFaults } from '../validation/template-validation.ts';

const specPath = FieldPath.of('spec');
const finalizersPath = specPath.child('finalizers');
/** Validation of the smaller kinds of the core group. */
export const coreValidation: readonly ValidationEntry[] = [
  validationOf<Namespace>('/v1/namespaces', {
    validateName: checkDns1123Label,
    validate: ({ spec }) => (spec.finalizers ?? []).flatMap((name) => finalizerFaults(name, finalizersPath)),
  }),
  validationOf<Namespace>('/v1/namespaces/finalize', {
    validate: ({ spec }) =>
      (spec.finalizers ?? []).flatMap((name, i) => finalizerFaults(name, finalizersPath.index(i))),
  }),
  validationOf<Node>('/v1/nodes', { validate: ({ spec }) => nodeFaults(spec) }),
  validationOf<ReplicationController>('/v1/replicationcontrollers', { validate: controllerFaults }),
  validationOf<PodTemplate>('/v1/podtemplates', {
    validate: ({ template }) =>
      templateFaults(template, { path: FieldPath.of('template'), restartPolicies: ['Always', 'OnFailure', 'Never'] }),
  }),
  validationOf<Event>('/v1/events', { validate: eventFaults }),
];

function finalizerFaults(name: string, path: FieldPath): readonly FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => invalidField(path, name, detail));
  if (name.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(name)) return faults;
  return [...faults, invalidField(path, name, 'name is neither a standard finalizer name nor is it fully qualified')];
}

const taint: Check<Taint> = (value, path) => {
  if (!value) return [];
  const effects = enumOf('NoSchedule', 'PreferNoSchedule', 'NoExecute');
  return [...qualifiedName(value.key, path.child('key')), ...effects(value.effect, path.child('effect'))];
};

function nodeFaults(spec: NodeSpec): readonly FieldError[] {
  // Upstream reports this path although the taints are in the spec.
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

function controllerFaults({ spec }: ReplicationController): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (isEmpty(spec.selector)) faults.push(requiredField(specPath.child('selector')));
  faults.push(...labels(spec.selector, specPath.child('selector')));
  faults.push(...fields<typeof spec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, specPath));
  if (!spec.template) return [...faults, requiredField(specPath.child('template'))];
  const selector = spec.selector ? { selector: { matchLabels: spec.selector } } : {};
  return [...faults, ...templateFaults(spec.template, { path: specPath.child('template'), ...selector })];
}

function eventFaults({ metadata, involvedObject }: Event): readonly FieldError[] {
  const path = FieldPath.of('involvedObject', 'namespace');
  const { namespace = '' } = involvedObject;
  const expected = metadata.namespace ?? '';
  // Events of objects without a namespace are in `default`.
  if (namespace === '' ? ['', 'default', 'kube-system'].includes(expected) : namespace === expected) return [];
  return [invalidField(path, namespace, 'does not match event.namespace')];
}
