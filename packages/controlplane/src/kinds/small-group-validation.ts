import { duplicateField, type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import { containerResourceName, requirements } from './core/resources-validation.ts';
import { toleration } from './core/scheduling-validation.ts';
import type {
  Lease,
  PodDisruptionBudget,
  PriorityClass,
  RuntimeClass,
  Scheduling,
  Toleration,
} from './generated/drafts.ts';
import {
  type Check,
  each,
  enumOf,
  fields,
  immutable,
  nonNegative,
  objectFields,
  present,
  required,
  rule,
} from './validation/check.ts';
import { conditions } from './validation/conditions.ts';
import { type ValidationEntry, validationOf } from './validation/kind-validation.ts';
import { countOrPercent, dnsLabel, labelSelector, labels, shownSelector } from './validation/rules.ts';

const uniqueTolerations: Check<Toleration[]> = (list, path) => {
  const seen = new Set<string>();
  const faults = each(toleration)(list, path);
  const duplicates = (list ?? []).flatMap((one, index) => {
    const key = JSON.stringify([one.key, one.operator, one.value, one.effect]);
    if (seen.has(key)) return [duplicateField(path.index(index), goToleration(one))];
    seen.add(key);
    return [];
  });
  return [...faults, ...duplicates];
};

/** Returns a toleration with Go's field names, for error messages. */
function goToleration({ key = '', operator = '', value = '', effect = '', tolerationSeconds }: Toleration): object {
  return { Key: key, Operator: operator, Value: value, Effect: effect, TolerationSeconds: tolerationSeconds ?? null };
}

const specPath = FieldPath.of('spec');
const highestUserPriority = 1_000_000_000;
const systemPriorities = ['system-node-critical', 'system-cluster-critical'];

/** Validation of small API groups. */
export const smallGroupValidation: readonly ValidationEntry[] = [
  validationOf<PodDisruptionBudget>('policy/v1/poddisruptionbudgets', { validate: ({ spec }) => budgetFaults(spec) }),
  validationOf<PodDisruptionBudget>('policy/v1/poddisruptionbudgets/status', {
    validate: ({ status }) => budgetStatus(status, FieldPath.of('status')),
  }),
  validationOf<PriorityClass>('scheduling.k8s.io/v1/priorityclasses', {
    validateCreate: priorityFaults,
    validateUpdate: ({ value, preemptionPolicy }, old) => [
      ...(value === old.value ? [] : [forbiddenField(FieldPath.of('value'), 'may not be changed in an update.')]),
      ...immutable(preemptionPolicy, { old: old.preemptionPolicy, path: FieldPath.of('preemptionPolicy') }),
    ],
  }),
  validationOf<Lease>('coordination.k8s.io/v1/leases', {
    validate: ({ spec }) =>
      fields<Lease['spec']>({
        leaseDurationSeconds: rule((seconds) => seconds > 0, 'must be greater than 0'),
        leaseTransitions: nonNegative,
      })(spec, specPath),
  }),
  validationOf<RuntimeClass>('node.k8s.io/v1/runtimeclasses', {
    validate: objectFields<RuntimeClass>({
      handler: required(dnsLabel),
      // Upstream omits `podFixed` from this path.
      overhead: (overhead, path) =>
        requirements({ limits: overhead?.podFixed }, { path, nameRule: containerResourceName }),
      scheduling: fields<Scheduling>({ nodeSelector: labels, tolerations: uniqueTolerations }),
    }),
    validateUpdate: ({ handler }, old) => immutable(handler, { old: old.handler, path: FieldPath.of('handler') }),
  }),
];

function budgetFaults(spec: PodDisruptionBudget['spec']): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ? shownSelector(spec.selector) : null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    };
    faults.push(invalidField(specPath, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  return [
    ...faults,
    ...countOrPercent(spec.minAvailable, specPath.child('minAvailable')),
    ...countOrPercent(spec.maxUnavailable, specPath.child('maxUnavailable')),
    ...present(labelSelector)(spec.selector, specPath.child('selector')),
    ...present(enumOf('AlwaysAllow', 'IfHealthyBudget'))(
      spec.unhealthyPodEvictionPolicy,
      specPath.child('unhealthyPodEvictionPolicy'),
    ),
  ];
}

const budgetStatus: Check<PodDisruptionBudget['status']> = fields<PodDisruptionBudget['status']>({
  conditions,
  disruptionsAllowed: nonNegative,
  currentHealthy: nonNegative,
  desiredHealthy: nonNegative,
  expectedPods: nonNegative,
});

function priorityFaults({ metadata, value, preemptionPolicy }: PriorityClass): readonly FieldError[] {
  const name = metadata.name ?? '';
  const faults: FieldError[] = [];
  if (name.startsWith('system-')) {
    if (!systemPriorities.includes(name)) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
      faults.push(forbiddenField(FieldPath.of('metadata', 'name'), detail));
    }
  } else if (value > highestUserPriority) {
    faults.push(
      forbiddenField(
        FieldPath.of('value'),
        `maximum allowed value of a user defined priority is ${highestUserPriority}`,
      ),
    );
  }
  return [
    ...faults,
    ...present(required(enumOf('PreemptLowerPriority', 'Never')))(preemptionPolicy, FieldPath.of('preemptionPolicy')),
  ];
}
