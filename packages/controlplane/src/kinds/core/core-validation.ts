import {
  checkDns1123Label,
  checkQualifiedName,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  requiredField,
} from '@kubewright/apimachinery';
import type {
  Event,
  LimitRange,
  LimitRangeItem,
  Namespace,
  Node,
  NodeSpec,
  ReplicationController,
  ResourceQuota,
  Taint,
} from '../generated/drafts.ts';
import { type Check, each, enumOf, fields, isEmpty, nonNegative } from '../validation/check.ts';
import { cidr } from '../validation/ip.ts';
import { type ValidationEntry, validationOf } from '../validation/kind-validation.ts';
import { labels, qualifiedName } from '../validation/rules.ts';
import { templateFaults } from '../validation/template-validation.ts';
import { billionthsOf } from '../wire/quantity.ts';
import { quantityFaults, resourceName } from './resources-validation.ts';

const SPEC = FieldPath.of('spec');
const FINALIZERS = SPEC.child('finalizers');
const QUOTA_RESOURCES =
  /^((requests|limits)\..+|count\/.+|cpu|memory|pods|services|services\..+|replicationcontrollers|resourcequotas|secrets|configmaps|persistentvolumeclaims|ephemeral-storage|storage|.+\/.+)$/;
const SCOPES = [
  'Terminating',
  'NotTerminating',
  'BestEffort',
  'NotBestEffort',
  'PriorityClass',
  'CrossNamespacePodAffinity',
  'VolumeAttributesClass',
];

/** Validation of the smaller kinds of the core group. */
export const coreValidation: readonly ValidationEntry[] = [
  validationOf<Namespace>('/v1/namespaces', {
    validateName: checkDns1123Label,
    validate: ({ spec }) => (spec.finalizers ?? []).flatMap((name) => finalizerFaults(name, FINALIZERS)),
  }),
  validationOf<Namespace>('/v1/namespaces/finalize', {
    validate: ({ spec }) => (spec.finalizers ?? []).flatMap((name, i) => finalizerFaults(name, FINALIZERS.index(i))),
  }),
  validationOf<Node>('/v1/nodes', { validate: ({ spec }) => nodeFaults(spec) }),
  validationOf<ReplicationController>('/v1/replicationcontrollers', { validate: controllerFaults }),
  validationOf<ResourceQuota>('/v1/resourcequotas', { validate: quotaFaults }),
  validationOf<LimitRange>('/v1/limitranges', {
    validate: ({ spec }) => each(limitFaults)(spec.limits ?? [], SPEC.child('limits')),
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
  return [...each(taint)(spec.taints, path), ...duplicates, ...each(cidr)(spec.podCIDRs, SPEC.child('podCIDRs'))];
}

function controllerFaults({ spec }: ReplicationController): readonly FieldError[] {
  const faults: FieldError[] = [];
  if (isEmpty(spec.selector)) faults.push(requiredField(SPEC.child('selector')));
  faults.push(...labels(spec.selector, SPEC.child('selector')));
  faults.push(...fields<typeof spec>({ replicas: nonNegative, minReadySeconds: nonNegative })(spec, SPEC));
  if (!spec.template) return [...faults, requiredField(SPEC.child('template'))];
  const selector = spec.selector ? { selector: { matchLabels: spec.selector } } : {};
  return [...faults, ...templateFaults(spec.template, { path: SPEC.child('template'), ...selector })];
}

function quotaFaults({ spec }: ResourceQuota): readonly FieldError[] {
  const hard = SPEC.child('hard');
  const faults = Object.entries(spec.hard ?? {}).flatMap(([name, amount]) => {
    const path = hard.key(name);
    const named = resourceName(name, path);
    if (!QUOTA_RESOURCES.test(name) && !name.startsWith('hugepages-'))
      named.push(invalidField(path, name, 'must be a standard resource for quota'));
    return [...named, ...quantityFaults({ name, amount, path })];
  });
  const unknown = (spec.scopes ?? []).some((scope) => !SCOPES.includes(scope));
  return unknown ? [...faults, invalidField(SPEC.child('scopes'), spec.scopes, 'unsupported scope')] : faults;
}

/** Validates an item of a LimitRange, with upstream's messages. */
const limitFaults: Check<LimitRangeItem> = (item, path) => {
  if (!item) return [];
  if (item.type === 'Pod') {
    return (['default', 'defaultRequest'] as const).flatMap((field) =>
      isEmpty(item[field]) ? [] : [forbiddenField(path.child(field), "may not be specified when `type` is 'Pod'")],
    );
  }
  const lists = ['min', 'max', 'default', 'defaultRequest'] as const;
  const names = new Set(lists.flatMap((list) => Object.keys(item[list] ?? {})));
  return [...names].flatMap((name) => oneLimit(item, { name, path }));
};

function oneLimit(
  item: LimitRangeItem,
  at: { readonly name: string; readonly path: FieldPath },
): readonly FieldError[] {
  const { name, path } = at;
  const text = (field: 'min' | 'max' | 'default' | 'defaultRequest'): string | undefined => {
    const amounts = item[field] ?? {};
    return Object.hasOwn(amounts, name) ? amounts[name] : undefined;
  };
  const over = (a: string | undefined, b: string | undefined): boolean =>
    a !== undefined && b !== undefined && billionthsOf(a) > billionthsOf(b);
  const [min, max, limit, request] = [text('min'), text('max'), text('default'), text('defaultRequest')];
  const fault = (field: string, value: string | undefined, detail: string): FieldError =>
    invalidField(path.child(field).key(name), value, detail);
  const faults: FieldError[] = [];
  if (over(min, max)) faults.push(fault('min', min, `min value ${min} is greater than max value ${max}`));
  if (over(min, request))
    faults.push(fault('defaultRequest', request, `min value ${min} is greater than default request value ${request}`));
  if (over(request, max))
    faults.push(fault('defaultRequest', request, `default request value ${request} is greater than max value ${max}`));
  if (over(request, limit))
    faults.push(
      fault('defaultRequest', request, `default request value ${request} is greater than default limit value ${limit}`),
    );
  if (over(min, limit)) faults.push(fault('default', min, `min value ${min} is greater than default value ${limit}`));
  if (over(limit, max)) faults.push(fault('default', limit, `default value ${limit} is greater than max value ${max}`));
  return faults;
}

function eventFaults({ metadata, involvedObject }: Event): readonly FieldError[] {
  const path = FieldPath.of('involvedObject', 'namespace');
  const { namespace = '' } = involvedObject;
  const expected = metadata.namespace ?? '';
  // Events of objects without a namespace are in `default`.
  if (namespace === '' ? ['', 'default', 'kube-system'].includes(expected) : namespace === expected) return [];
  return [invalidField(path, namespace, 'does not match event.namespace')];
}
