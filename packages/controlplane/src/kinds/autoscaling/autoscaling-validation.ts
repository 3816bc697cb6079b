import { type FieldError, FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Draft } from '@kubewright/apiserver';
import type { HorizontalPodAutoscaler, HPAScalingPolicy, HPAScalingRules } from '../generated/drafts.ts';
import { all, type Check, each, enumOf, fields, nonNegative, present, required, rule } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';
import { metric, scaleTarget } from './metric-validation.ts';

const specPath = FieldPath.of('spec');

/** Validation of autoscalers. Version 1 is converted to version 2 first. */
export const autoscalingValidation: readonly ValidationEntry[] = [
  validationOf<HorizontalPodAutoscaler>('autoscaling/v2/horizontalpodautoscalers', {
    validate: ({ spec }) => autoscalerFaults(spec),
  }),
  validationOf<Draft>('autoscaling/v1/horizontalpodautoscalers', {
    validate: (object) => {
      const stored = autoscalerConversion.toStorage(object) as unknown as HorizontalPodAutoscaler;
      return autoscalerFaults(stored.spec);
    },
  }),
  ...(['v1', 'v2'] as const).map((version) =>
    validationOf<HorizontalPodAutoscaler>(`autoscaling/${version}/horizontalpodautoscalers/status`, {
      validate: ({ status }) => autoscalerStatus(status, statusPath),
    }),
  ),
];

type Spec = HorizontalPodAutoscaler['spec'];

function autoscalerFaults(spec: Spec): readonly FieldError[] {
  return [
    ...replicaFaults(spec),
    ...scaleTarget(spec.scaleTargetRef, specPath.child('scaleTargetRef')),
    ...each(metric)(spec.metrics, specPath.child('metrics')),
    ...present(scalingRules)(spec.behavior?.scaleUp, specPath.child('behavior', 'scaleUp')),
    ...present(scalingRules)(spec.behavior?.scaleDown, specPath.child('behavior', 'scaleDown')),
    ...zeroFaults(spec),
  ];
}

function replicaFaults({ minReplicas, maxReplicas }: Spec): readonly FieldError[] {
  const faults: FieldError[] = [];
  const max = specPath.child('maxReplicas');
  if (minReplicas !== undefined && minReplicas < 1) {
    faults.push(invalidField(specPath.child('minReplicas'), minReplicas, 'must be greater than or equal to 1'));
  }
  if (maxReplicas === 0) faults.push(requiredField(max, 'must be set and greater than 0'));
  if (maxReplicas < 0) faults.push(invalidField(max, maxReplicas, 'must be greater than or equal to 1'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    faults.push(invalidField(max, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return faults;
}

/**
 * Rejects scaling to zero without an object or external metric: without pods, pod metrics cannot show that the workload is needed
 * again.
 */
function zeroFaults({ minReplicas, metrics }: Spec): readonly FieldError[] {
  if (minReplicas !== 0 || (metrics ?? []).some(({ type }) => type === 'Object' || type === 'External')) return [];
  return [
    forbiddenField(
      specPath.child('metrics'),
      'must specify at least one Object or External metric to support scaling to zero replicas',
    ),
  ];
}

const positive: Check<number> = rule((value) => value > 0, 'must be greater than zero');

const scalingPolicy: Check<HPAScalingPolicy> = (policy, path) => [
  ...enumOf('Percent', 'Pods')(policy?.type, path.child('type')),
  ...positive(policy?.value, path.child('value')),
  ...positive(policy?.periodSeconds, path.child('periodSeconds')),
  ...atMost(1800)(policy?.periodSeconds, path.child('periodSeconds')),
];

const scalingRules: Check<HPAScalingRules> = (rules, path) => [
  ...all<number>(
    rule((value) => value >= 0, 'must be greater than or equal to zero'),
    atMost(3600),
  )(rules?.stabilizationWindowSeconds, path.child('stabilizationWindowSeconds')),
  ...present(enumOf('Disabled', 'Max', 'Min'))(rules?.selectPolicy, path.child('selectPolicy')),
  ...required(each(scalingPolicy), 'must specify at least one Policy')(rules?.policies, path.child('policies')),
  ...rule<string>((tolerance) => billionthsOf(tolerance) >= 0n, 'must be greater than or equal to 0')(
    rules?.tolerance,
    path.child('tolerance'),
  ),
];

function atMost(max: number): Check<number> {
  return rule((value) => value <= max, `must be less than or equal to ${max}`);
}

const statusPath = FieldPath.of('status');

const autoscalerStatus: Check<HorizontalPodAutoscaler['status']> = fields<HorizontalPodAutoscaler['status']>({
  currentReplicas: nonNegative,
  desiredReplicas: nonNegative,
});
