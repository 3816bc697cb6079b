import { type FieldError, type FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../generated/drafts.ts';
import { quantityFaults, resourceName } from './resources-validation.ts';

const counted = [
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];
const computed = ['cpu', 'memory', 'ephemeral-storage'];
const standard: ReadonlySet<string> = new Set([
  ...counted,
  ...computed,
  ...computed.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);
const podAmounts = ['cpu', 'memory', 'requests.cpu', 'requests.memory', 'limits.cpu', 'limits.memory', 'pods'];

/** The standard resources that a quota with a scope may limit, by scope. */
const limitedBy: Readonly<Record<string, readonly string[]>> = {
  Terminating: podAmounts,
  NotTerminating: podAmounts,
  NotBestEffort: podAmounts,
  PriorityClass: podAmounts,
  CrossNamespacePodAffinity: podAmounts,
  BestEffort: ['pods'],
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};

/** Scopes without values: a pod either matches or does not. */
const binaryScopes = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const existsOnly =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Validates a quota's amounts and scopes. */
export function quotaFaults(spec: ResourceQuotaSpec, path: FieldPath): readonly FieldError[] {
  return [
    ...quotaAmounts(spec.hard, path.child('hard')),
    ...scopeFaults(spec, path.child('scopes')),
    ...selectorFaults(spec, path.child('scopeSelector', 'matchExpressions')),
  ];
}

/** Validates the amounts of a quota and the resource names that they limit. */
export function quotaAmounts(amounts: ResourceQuotaSpec['hard'], at: FieldPath): readonly FieldError[] {
  return Object.entries(amounts ?? {}).flatMap(([name, amount]) => {
    const path = at.key(name);
    const named = resourceName(name, path);
    if (!name.includes('/') && !isStandard(name))
      named.push(invalidField(path, name, 'must be a standard resource for quota'));
    return [...named, ...quantityFaults({ name, amount, path })];
  });
}

function isStandard(name: string): boolean {
  return standard.has(name) || /^(requests\.)?hugepages-/.test(name);
}

function scopeFaults(spec: ResourceQuotaSpec, path: FieldPath): readonly FieldError[] {
  const scopes = spec.scopes ?? [];
  const reject = (detail: string): FieldError => invalidField(path, scopes, detail);
  return [
    ...scopes.flatMap((scope) => [
      ...(scope in limitedBy ? [] : [reject('unsupported scope')]),
      ...unsuitable(spec, scope).map(() => reject('unsupported scope applied to resource')),
    ]),
    ...conflicts(scopes).map(() => reject('conflicting scopes')),
  ];
}

/** Returns the standard resources that a quota limits although the scope does not allow limits for them. */
function unsuitable({ hard = {} }: ResourceQuotaSpec, scope: string): readonly string[] {
  const suitable = limitedBy[scope];
  return Object.keys(hard).filter((name) => suitable && isStandard(name) && !suitable.includes(name));
}

function conflicts(scopes: readonly string[]): readonly unknown[] {
  const pairs = [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ];
  return pairs.filter((pair) => pair.every((scope) => scopes.includes(scope)));
}

function selectorFaults(spec: ResourceQuotaSpec, path: FieldPath): readonly FieldError[] {
  const expressions = spec.scopeSelector?.matchExpressions ?? [];
  const shown = { MatchExpressions: expressions.map(goRequirement) };
  return [
    ...expressions.flatMap((one) => [
      ...(one.scopeName in limitedBy
        ? []
        : [invalidField(path.child('scopeName'), one.scopeName, 'unsupported scope')]),
      ...unsuitable(spec, one.scopeName).map(() => invalidField(path, shown, 'unsupported scope applied to resource')),
      ...requirementFaults(one, path),
    ]),
    ...conflicts(expressions.map(({ scopeName }) => scopeName)).map(() =>
      invalidField(path, shown, 'conflicting scopes'),
    ),
  ];
}

/** Validates an expression of a scope selector. Upstream reports all errors at the list. */
function requirementFaults(one: ScopedResourceSelectorRequirement, path: FieldPath): readonly FieldError[] {
  const { scopeName, operator, values = [] } = one;
  const at = path.child('operator');
  const faults: FieldError[] =
    binaryScopes.includes(scopeName) && operator !== 'Exists' ? [invalidField(at, operator, existsOnly)] : [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length > 0) return faults;
    const detail = "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector";
    return [...faults, requiredField(path.child('values'), detail)];
  }
  if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length === 0) return faults;
    const detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector";
    return [...faults, invalidField(path.child('values'), values, detail)];
  }
  return [...faults, invalidField(at, operator, 'not a valid selector operator')];
}

/** Returns an expression with Go's field names, for error messages. */
function goRequirement({ scopeName, operator, values = undefined }: ScopedResourceSelectorRequirement): object {
  return { ScopeName: scopeName, Operator: operator, Values: values ?? null };
}
