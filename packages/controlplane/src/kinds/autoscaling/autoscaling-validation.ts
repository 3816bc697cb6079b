import { type FieldError, FieldPath, forbiddenField, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Draft } from '@kubewright/apiserver';
import type {
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, optional, present, required, rule, textRule } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { checkPathSegment } from '../validation/names.ts';
import { autoscalerConversion } from './autoscaler-conversion.ts';

const specPath = FieldPath.of('spec');

/** Validation of autoscalers; version 1 is converted first. */
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
];

type Spec = HorizontalPodAutoscaler['spec'];

function autoscalerFaults(spec: Spec): readonly FieldError[] {
  return [
    ...replicaFaults(spec),
    ...targetFaults(spec),
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
  if (maxReplicas < 1) faults.push(requiredField(max, 'must be set and greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas) {
    faults.push(invalidField(max, maxReplicas, 'must be greater than or equal to `minReplicas`'));
  }
  return faults;
}

function targetFaults({ scaleTargetRef: target }: Spec): readonly FieldError[] {
  const path = specPath.child('scaleTargetRef');
  const segment = required(textRule(checkPathSegment));
  const faults = [...segment(target.kind, path.child('kind')), ...segment(target.name, path.child('name'))];
  const version = target.apiVersion ?? '';
  if (version.includes('/') || version === 'v1') return faults;
  return [...faults, invalidField(path.child('apiVersion'), version, 'apiVersion must specify API group')];
}

/** Requires an object or external metric for scaling to zero: pod metrics cannot tell that a workload without pods is needed. */
function zeroFaults({ minReplicas, metrics }: Spec): readonly FieldError[] {
  if (minReplicas !== 0 || (metrics ?? []).some(({ type }) => type === 'Object' || type === 'External')) return [];
  return [
    forbiddenField(
      specPath.child('metrics'),
      'must specify at least one Object or External metric to support scaling to zero replicas',
    ),
  ];
}

const sources: ReadonlyMap<string, 'resource' | 'containerResource' | 'pods' | 'object' | 'external'> = new Map([
  ['Resource', 'resource'],
  ['ContainerResource', 'containerResource'],
  ['Pods', 'pods'],
  ['Object', 'object'],
  ['External', 'external'],
]);

const metric: Check<MetricSpec> = (spec, path) => {
  if (!spec) return [];
  if (!spec.type) return [requiredField(path.child('type'), 'must specify a metric source type')];
  const source = sources.get(spec.type);
  if (source === undefined) return enumOf(...[...sources.keys()].sort())(spec.type, path.child('type'));
  if (!spec[source])
    return [requiredField(path.child(source), 'must populate information for the given metric source')];
  if (source !== 'resource' && source !== 'containerResource') return [];
  const at = path.child(source);
  const named = spec[source]?.name ? [] : [requiredField(at.child('name'), 'must specify a resource name')];
  return [...named, ...resourceTarget(spec[source]?.target, at.child('target'))];
};

const resourceTarget: Check<MetricTarget> = (target, path) => {
  if (!target) return [];
  const faults: FieldError[] = [];
  if (!['Utilization', 'Value', 'AverageValue'].includes(target.type)) {
    faults.push(invalidField(path.child('type'), target.type, 'must be either Utilization, Value, or AverageValue'));
  }
  const at = path.child('averageUtilization');
  if (target.averageUtilization === undefined && target.averageValue === undefined) {
    faults.push(requiredField(at, 'must set either a target raw value or a target utilization'));
  }
  if (target.averageUtilization !== undefined && target.averageValue !== undefined) {
    faults.push(
      forbiddenField(path.child('averageValue'), 'may not set both a target raw value and a target utilization'),
    );
  }
  if (target.averageUtilization !== undefined && target.averageUtilization < 1) {
    faults.push(invalidField(at, target.averageUtilization, 'must be greater than 0'));
  }
  return faults;
};

const positive: Check<number> = rule((value) => value > 0, 'must be greater than zero');

const scalingPolicy: Check<HPAScalingPolicy> = (policy, path) => [
  ...enumOf('Percent', 'Pods')(policy?.type, path.child('type')),
  ...positive(policy?.value, path.child('value')),
  ...positive(policy?.periodSeconds, path.child('periodSeconds')),
];

const scalingRules: Check<HPAScalingRules> = (rules, path) => [
  ...rule<number>((value) => value >= 0, 'must be greater than or equal to zero')(
    rules?.stabilizationWindowSeconds,
    path.child('stabilizationWindowSeconds'),
  ),
  ...optional(enumOf('Disabled', 'Max', 'Min'))(rules?.selectPolicy, path.child('selectPolicy')),
  ...required(each(scalingPolicy), 'must specify at least one Policy')(rules?.policies, path.child('policies')),
];
