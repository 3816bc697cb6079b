import { type FieldError, FieldPath, forbiddenField, invalidField } from '@kubewright/apimachinery';
import type { Lease, PodDisruptionBudget, PriorityClass, RuntimeClass } from './generated/drafts.ts';
import { enumOf, fields, immutable, nonNegative, present, required, rule } from './validation/check.ts';
import { type ValidationEntry, validationOf } from './validation/kind-validation.ts';
import { countOrPercent, dnsLabel, labelSelector } from './validation/rules.ts';

const SPEC = FieldPath.of('spec');
const HIGHEST_USER_PRIORITY = 1_000_000_000;
const SYSTEM_PRIORITIES = ['system-node-critical', 'system-cluster-critical'];

/** Validation of groups with few kinds. */
export const smallGroupValidation: readonly ValidationEntry[] = [
  validationOf<PodDisruptionBudget>('policy/v1/poddisruptionbudgets', { validate: ({ spec }) => budgetFaults(spec) }),
  validationOf<PriorityClass>('scheduling.k8s.io/v1/priorityclasses', {
    validate: priorityFaults,
    validateUpdate: ({ value }, old) => {
      const path = FieldPath.of('value');
      return value === old.value ? [] : [forbiddenField(path, 'may not be changed in an update.')];
    },
  }),
  validationOf<Lease>('coordination.k8s.io/v1/leases', {
    validate: ({ spec }) =>
      fields<Lease['spec']>({
        leaseDurationSeconds: rule((seconds) => seconds > 0, 'must be greater than 0'),
        leaseTransitions: nonNegative,
      })(spec, SPEC),
  }),
  validationOf<RuntimeClass>('node.k8s.io/v1/runtimeclasses', {
    validate: ({ handler }) => required(dnsLabel)(handler, FieldPath.of('handler')),
    validateUpdate: ({ handler }, old) => immutable(handler, { old: old.handler, path: FieldPath.of('handler') }),
  }),
];

function budgetFaults(spec: PodDisruptionBudget['spec']): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (spec.minAvailable !== undefined && spec.maxUnavailable !== undefined) {
    const shown = {
      MinAvailable: spec.minAvailable,
      Selector: spec.selector ?? null,
      MaxUnavailable: spec.maxUnavailable,
      UnhealthyPodEvictionPolicy: spec.unhealthyPodEvictionPolicy ?? null,
    };
    faults.push(invalidField(SPEC, shown, 'minAvailable and maxUnavailable cannot be both set'));
  }
  return [
    ...faults,
    ...countOrPercent(spec.minAvailable, SPEC.child('minAvailable')),
    ...countOrPercent(spec.maxUnavailable, SPEC.child('maxUnavailable')),
    ...present(labelSelector)(spec.selector, SPEC.child('selector')),
  ];
}

function priorityFaults({ metadata, value, preemptionPolicy }: PriorityClass): readonly FieldError[] {
  const name = metadata.name ?? '';
  const faults: FieldError[] = [];
  if (name.startsWith('system-')) {
    if (!SYSTEM_PRIORITIES.includes(name)) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${name} is not a known system priority class`;
      faults.push(forbiddenField(FieldPath.of('metadata', 'name'), detail));
    }
  } else if (value > HIGHEST_USER_PRIORITY) {
    faults.push(
      forbiddenField(
        FieldPath.of('value'),
        `maximum allowed value of a user defined priority is ${HIGHEST_USER_PRIORITY}`,
      ),
    );
  }
  return [
    ...faults,
    ...present(enumOf('PreemptLowerPriority', 'Never'))(preemptionPolicy, FieldPath.of('preemptionPolicy')),
  ];
}
