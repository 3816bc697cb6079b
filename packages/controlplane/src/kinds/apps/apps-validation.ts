import {
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { podSpecWarnings } from '../core/pod-warnings.ts';
import type {
  DaemonSet,
  Deployment,
  DeploymentSpec,
  ReplicaSet,
  StatefulSet,
  StatefulSetSpec,
} from '../generated/drafts.ts';
import { fields, immutable, nonNegative, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { countOrPercent } from '../validation/rules.ts';
import { selectorFaults, templateFaults } from '../validation/template-validation.ts';

const SPEC = FieldPath.of('spec');
const TEMPLATE = SPEC.child('template');
const SELECTOR = SPEC.child('selector');

/** Validation of the apps group. */
export const appsValidation: readonly ValidationEntry[] = [
  validationOf<Deployment>('apps/v1/deployments', {
    validate: ({ spec }) => deploymentFaults(spec),
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: SELECTOR }),
    warnings: ({ spec }) => podSpecWarnings(spec.template.spec, 'spec.template.spec'),
  }),
  validationOf<ReplicaSet>('apps/v1/replicasets', {
    validate: ({ spec }) => [
      ...fields<typeof spec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, SPEC),
      ...selectorFaults(spec.selector, { path: SELECTOR, workload: 'deployment' }),
      ...templateFaults(spec.template, { path: TEMPLATE, selector: spec.selector ?? {} }),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: SELECTOR }),
    warnings: ({ spec }) => podSpecWarnings(spec.template.spec, 'spec.template.spec'),
  }),
  validationOf<StatefulSet>('apps/v1/statefulsets', {
    validate: ({ spec }) => statefulSetFaults(spec),
    validateUpdate: ({ spec }, old) => statefulSetChanges(spec, old.spec),
    warnings: ({ spec }) => podSpecWarnings(spec.template.spec, 'spec.template.spec'),
  }),
  validationOf<DaemonSet>('apps/v1/daemonsets', {
    validate: ({ spec }) => [
      ...selectorFaults(spec.selector, { path: SELECTOR, workload: 'daemonset' }),
      ...templateFaults(spec.template, { path: TEMPLATE, selector: spec.selector ?? {} }),
      ...fields<typeof spec>({ minReadySeconds: nonNegative })(spec, SPEC),
      ...daemonStrategyFaults(spec.updateStrategy),
      ...fields<typeof spec>({ revisionHistoryLimit: nonNegative })(spec, SPEC),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: SELECTOR }),
    warnings: ({ spec }) => podSpecWarnings(spec.template.spec, 'spec.template.spec'),
  }),
];

function deploymentFaults(spec: DeploymentSpec): readonly FieldError[] {
  const faults: FieldError[] = [
    ...fields<DeploymentSpec>({ replicas: nonNegative })(spec, SPEC),
    ...selectorFaults(spec.selector, { path: SELECTOR, workload: 'deployment' }),
    ...templateFaults(spec.template, { path: TEMPLATE, selector: spec.selector ?? NOTHING }),
    ...deploymentStrategyFaults(spec),
    ...fields<DeploymentSpec>({
      minReadySeconds: nonNegative,
      revisionHistoryLimit: nonNegative,
      progressDeadlineSeconds: nonNegative,
    })(spec, SPEC),
  ];
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    faults.push(invalidField(SPEC.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'));
  }
  return faults;
}

/** Upstream's replacement for an absent selector: one that matches nothing. */
const NOTHING = {
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'a', operator: 'NotIn', values: ['b'] },
  ],
};

function deploymentStrategyFaults({ strategy }: DeploymentSpec): readonly FieldError[] {
  const path = SPEC.child('strategy');
  const at = path.child('rollingUpdate');
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    return rollingUpdate ? [forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type !== 'RollingUpdate') {
    return [
      unsupportedField(path, { Type: type ?? '', RollingUpdate: rollingUpdate ?? null }, ['Recreate', 'RollingUpdate']),
    ];
  }
  if (!rollingUpdate) return [requiredField(at, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const zero = isZero(maxUnavailable) && isZero(maxSurge);
  return [
    ...countOrPercent(maxUnavailable, at.child('maxUnavailable')),
    ...surge(maxSurge, at.child('maxSurge')),
    ...(zero ? [invalidField(at.child('maxUnavailable'), maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
  ];
}

/** Validates a surge, which may exceed 100%. */
function surge(value: number | string | undefined, path: FieldPath): readonly FieldError[] {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? [] : countOrPercent(value, path);
}

function isZero(value: number | string | undefined): boolean {
  return value === 0 || value === '0%';
}

function daemonStrategyFaults(strategy: DaemonSet['spec']['updateStrategy']): readonly FieldError[] {
  const path = SPEC.child('updateStrategy');
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return [
      unsupportedField(path, { Type: type ?? '', RollingUpdate: rollingUpdate ?? null }, ['RollingUpdate', 'OnDelete']),
    ];
  }
  const at = path.child('rollingUpdate');
  if (!rollingUpdate) return [requiredField(at)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const faults = [
    ...countOrPercent(maxUnavailable, at.child('maxUnavailable')),
    ...surge(maxSurge, at.child('maxSurge')),
  ];
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    faults.push(invalidField(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  if (isZero(maxUnavailable) && isZero(maxSurge)) {
    faults.push(requiredField(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
  return faults;
}

function statefulSetFaults(spec: StatefulSetSpec): readonly FieldError[] {
  const retention = SPEC.child('persistentVolumeClaimRetentionPolicy');
  const policies = ['whenDeleted', 'whenScaled'] as const;
  return [
    ...podManagementFaults(spec),
    ...statefulStrategyFaults(spec),
    ...policies.flatMap((field) => {
      const value = spec.persistentVolumeClaimRetentionPolicy?.[field] ?? 'Retain';
      return ['Retain', 'Delete'].includes(value)
        ? []
        : [unsupportedField(retention.child(field), value, ['Retain', 'Delete'])];
    }),
    ...fields<StatefulSetSpec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, SPEC),
    ...selectorFaults(spec.selector, { path: SELECTOR, workload: 'statefulset' }),
    ...templateFaults(spec.template, { path: TEMPLATE, selector: spec.selector ?? {} }),
  ];
}

function podManagementFaults({ podManagementPolicy: policy = '' }: StatefulSetSpec): readonly FieldError[] {
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidField(SPEC.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'")];
}

function statefulStrategyFaults({ updateStrategy }: StatefulSetSpec): readonly FieldError[] {
  const path = SPEC.child('updateStrategy');
  const { type, rollingUpdate } = updateStrategy;
  if (type === 'RollingUpdate') {
    const at = path.child('rollingUpdate');
    return [
      ...nonNegative(rollingUpdate?.partition, at.child('partition')),
      ...countOrPercent(rollingUpdate?.maxUnavailable, at.child('maxUnavailable')),
    ];
  }
  if (type === 'OnDelete') {
    if (!rollingUpdate) return [];
    const shown = { Partition: rollingUpdate.partition ?? null, MaxUnavailable: rollingUpdate.maxUnavailable ?? null };
    return [invalidField(path.child('rollingUpdate'), shown, "only allowed for updateStrategy 'RollingUpdate'")];
  }
  const shown = { Type: type ?? '', RollingUpdate: rollingUpdate ?? null };
  return [invalidField(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
}

function statefulSetChanges(spec: StatefulSetSpec, old: StatefulSetSpec): readonly FieldError[] {
  const mutable = [
    'replicas',
    'ordinals',
    'template',
    'updateStrategy',
    'revisionHistoryLimit',
    'persistentVolumeClaimRetentionPolicy',
    'minReadySeconds',
  ] as const;
  const rest = (value: StatefulSetSpec): unknown =>
    Object.fromEntries(Object.entries(value).filter(([name]) => !(mutable as readonly string[]).includes(name)));
  if (semanticEqual(rest(spec), rest(old))) return [];
  const named = mutable
    .slice(0, -1)
    .map((name) => `'${name}'`)
    .join(', ');
  return [
    forbiddenField(
      SPEC,
      `updates to statefulset spec for fields other than ${named} and 'minReadySeconds' are forbidden`,
    ),
  ];
}
