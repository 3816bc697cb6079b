import {
  checkDns1123Label,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
  unsupportedField,
} from '@kubewright/apimachinery';
import { claimSpec } from '../core/claim-validation.ts';
import { templateWarnings } from '../core/template-warnings.ts';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  DeploymentSpec,
  PodTemplateSpec,
  ReplicaSet,
  StatefulSet,
  StatefulSetSpec,
} from '../generated/drafts.ts';
import { fields, immutable, immutablePointer, nonNegative, optional, semanticEqual } from '../validation/check.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { countOrPercent, dnsLabel } from '../validation/rules.ts';
import { selectedTemplateFaults, selectorFaults, templateFaults } from '../validation/template-validation.ts';

const specPath = FieldPath.of('spec');
const templatePath = specPath.child('template');
const selectorPath = specPath.child('selector');

/** Validation of the apps group. */
export const appsValidation: readonly ValidationEntry[] = [
  validationOf<Deployment>('apps/v1/deployments', {
    validate: ({ spec }) => deploymentFaults(spec),
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: selectorPath }),
    warnings: templateWarnings(({ spec }) => spec.template, templatePath),
  }),
  validationOf<ReplicaSet>('apps/v1/replicasets', {
    validate: ({ spec }) => [
      ...fields<typeof spec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, specPath),
      ...selectorFaults(spec.selector, {
        path: selectorPath,
        workload: 'deployment',
        unusable: 'invalid label selector',
      }),
      ...selectedTemplateFaults(spec.template, { path: templatePath, selector: spec.selector ?? nothing }),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: selectorPath }),
    warnings: templateWarnings(({ spec }) => spec.template, templatePath),
  }),
  validationOf<StatefulSet>('apps/v1/statefulsets', {
    validateCreate: ({ spec }) => claimTemplateFaults(spec),
    validate: ({ spec }) => statefulSetFaults(spec),
    validateUpdate: ({ spec }, old) => statefulSetChanges(spec, old.spec),
    validateName: checkDns1123Label,
    warnings: templateWarnings(({ spec }) => spec.template, templatePath),
  }),
  validationOf<ControllerRevision>('apps/v1/controllerrevisions', {
    validateCreate: ({ data }) => {
      const path = FieldPath.of('data');
      if (data === undefined || data === null) return [requiredField(path, 'data is mandatory')];
      if (typeof data === 'object' && !Array.isArray(data)) return [];
      return [requiredField(path, 'data must be a valid JSON object')];
    },
    validate: ({ revision }) => nonNegative(revision, FieldPath.of('revision')),
    validateUpdate: ({ data }, old) => immutablePointer(data, { old: old.data, path: FieldPath.of('data') }),
  }),
  validationOf<DaemonSet>('apps/v1/daemonsets', {
    validate: ({ spec }) => [
      // Upstream does not require this selector itself, but one that is absent matches no labels.
      ...(spec.selector ? selectorFaults(spec.selector, { path: selectorPath, workload: 'daemonset' }) : []),
      ...templateFaults(spec.template, {
        path: templatePath,
        selector: spec.selector ?? nothing,
        workload: 'DaemonSet',
      }),
      ...fields<typeof spec>({ minReadySeconds: nonNegative })(spec, specPath),
      ...daemonStrategyFaults(spec.updateStrategy),
      ...fields<typeof spec>({ revisionHistoryLimit: nonNegative })(spec, specPath),
    ],
    validateUpdate: ({ spec }, old) => immutable(spec.selector, { old: old.spec.selector, path: selectorPath }),
    warnings: templateWarnings(({ spec }) => spec.template, templatePath),
  }),
];

function deploymentFaults(spec: DeploymentSpec): readonly FieldError[] {
  const faults: FieldError[] = [
    ...fields<DeploymentSpec>({ replicas: nonNegative })(spec, specPath),
    ...selectorFaults(spec.selector, {
      path: selectorPath,
      workload: 'deployment',
      unusable: 'invalid label selector',
    }),
    ...selectedTemplateFaults(spec.template, { path: templatePath, selector: spec.selector ?? nothing }),
    ...deploymentStrategyFaults(spec),
    ...fields<DeploymentSpec>({
      minReadySeconds: nonNegative,
      revisionHistoryLimit: nonNegative,
      progressDeadlineSeconds: nonNegative,
    })(spec, specPath),
  ];
  const deadline = spec.progressDeadlineSeconds;
  if (deadline !== undefined && deadline <= (spec.minReadySeconds ?? 0)) {
    faults.push(
      invalidField(specPath.child('progressDeadlineSeconds'), deadline, 'must be greater than minReadySeconds'),
    );
  }
  return faults;
}

/** The selector that upstream substitutes for an absent selector: it matches nothing. */
const nothing = {
  matchExpressions: [
    { key: 'a', operator: 'In', values: ['b'] },
    { key: 'a', operator: 'NotIn', values: ['b'] },
  ],
};

function deploymentStrategyFaults({ strategy }: DeploymentSpec): readonly FieldError[] {
  const path = specPath.child('strategy');
  const at = path.child('rollingUpdate');
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    return rollingUpdate ? [forbiddenField(at, "may not be specified when strategy `type` is 'Recreate'")] : [];
  }
  if (type !== 'RollingUpdate') {
    return [unsupportedField(path, shownStrategy(strategy), ['Recreate', 'RollingUpdate'])];
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

/** Validates `maxSurge`, which may exceed 100%. */
function surge(value: number | string | undefined, path: FieldPath): readonly FieldError[] {
  return typeof value === 'string' && /^[0-9]+%$/.test(value) ? [] : countOrPercent(value, path);
}

function isZero(value: number | string | undefined): boolean {
  return value === 0 || value === '0%';
}

/** Returns the number in a count or percentage, otherwise 0. */
function countOf(value: number | string | undefined): number {
  if (typeof value === 'number') return value;
  return /^[0-9]+%?$/.test(value ?? '') ? Number.parseInt(value ?? '', 10) : 0;
}

/** Returns a strategy as upstream prints its internal structure, whose fields have no JSON names. */
function shownStrategy({
  type,
  rollingUpdate,
}: DeploymentSpec['strategy'] | DaemonSet['spec']['updateStrategy']): object {
  const { maxUnavailable = 0, maxSurge = 0 } = rollingUpdate ?? {};
  const shown = rollingUpdate ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge } : null;
  return { Type: type ?? '', RollingUpdate: shown };
}

function daemonStrategyFaults(strategy: DaemonSet['spec']['updateStrategy']): readonly FieldError[] {
  const path = specPath.child('updateStrategy');
  const { type, rollingUpdate } = strategy;
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    return [unsupportedField(path, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  }
  const at = path.child('rollingUpdate');
  if (!rollingUpdate) return [requiredField(at)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const faults = [
    ...countOrPercent(maxUnavailable, at.child('maxUnavailable')),
    ...surge(maxSurge, at.child('maxSurge')),
  ];
  if (countOf(maxUnavailable) !== 0 && countOf(maxSurge) !== 0) {
    faults.push(invalidField(at.child('maxSurge'), maxSurge, 'may not be set when maxUnavailable is non-zero'));
  }
  // Upstream counts a malformed percentage as zero.
  if (countOf(maxUnavailable) === 0 && countOf(maxSurge) === 0) {
    faults.push(requiredField(at.child('maxUnavailable'), 'cannot be 0 when maxSurge is 0'));
  }
  return faults;
}

function statefulSetFaults(spec: StatefulSetSpec): readonly FieldError[] {
  const retention = specPath.child('persistentVolumeClaimRetentionPolicy');
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
    ...fields<StatefulSetSpec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, specPath),
    ...nonNegative(spec.ordinals?.start, specPath.child('ordinals.start')),
    ...optional(dnsLabel)(spec.serviceName, specPath.child('serviceName')),
    ...selectorFaults(spec.selector, { path: selectorPath, workload: 'statefulset', unusable: '' }),
    ...selectedTemplateFaults(podTemplate(spec), {
      path: templatePath,
      selector: spec.selector ?? nothing,
      workload: 'StatefulSet',
    }),
  ];
}

function claimTemplateFaults({ volumeClaimTemplates = [] }: StatefulSetSpec): readonly FieldError[] {
  const path = specPath.child('volumeClaimTemplates');
  return volumeClaimTemplates.flatMap(({ spec }, index) => claimSpec(spec, path.index(index).child('spec')));
}

/**
 * Returns the template as the controller uses it: with a volume for each claim template, and without host name and subdomain, which
 * the controller sets.
 */
function podTemplate({ template, volumeClaimTemplates = [] }: StatefulSetSpec): PodTemplateSpec {
  const { hostname: _hostname, subdomain: _subdomain, ...rest } = template.spec;
  if (volumeClaimTemplates.length === 0) return { ...template, spec: rest };
  const claims = [...new Set(volumeClaimTemplates.map(({ metadata }) => metadata?.name ?? ''))];
  const volumes = [
    ...claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
    ...(rest.volumes ?? []).filter(({ name }) => !claims.includes(name)),
  ];
  return { ...template, spec: { ...rest, volumes } };
}

function podManagementFaults({ podManagementPolicy: policy = '' }: StatefulSetSpec): readonly FieldError[] {
  if (policy === 'OrderedReady' || policy === 'Parallel') return [];
  return [invalidField(specPath.child('podManagementPolicy'), policy, "must be 'OrderedReady' or 'Parallel'")];
}

function statefulStrategyFaults({ updateStrategy }: StatefulSetSpec): readonly FieldError[] {
  const path = specPath.child('updateStrategy');
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
      specPath,
      `updates to statefulset spec for fields other than ${named} and 'minReadySeconds' are forbidden`,
    ),
  ];
}
