import {
  checkQualifiedName,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
} from '@kubewright/apimachinery';
import type { ResourceRequirements } from '../generated/drafts.ts';
import type { Check } from '../validation/check.ts';
import { billionthsOf } from '../wire/quantity.ts';

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage']);
const standard = new Set([
  ...containerResources,
  'storage',
  'pods',
  'services',
  'secrets',
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);

/** Resource requirements of a container: known names, integers for indivisible resources, requests within limits. */
export const resources: Check<ResourceRequirements> = (value, path) => {
  if (!value) return [];
  const { limits = {}, requests = {} } = value;
  const faults = [...listFaults(limits, path.child('limits')), ...requestFaults(value, path.child('requests'))];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const hugePages = names.some((name) => name.startsWith('hugepages-'));
  if (hugePages && !names.includes('cpu') && !names.includes('memory')) {
    faults.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  return faults;
};

function listFaults(list: Readonly<Record<string, string>>, path: FieldPath): FieldError[] {
  return Object.entries(list).flatMap(([name, amount]) => [
    ...containerResourceName(name, path.key(name)),
    ...quantityFaults({ name, amount, path: path.key(name) }),
  ]);
}

function requestFaults({ limits = {}, requests = {} }: ResourceRequirements, path: FieldPath): FieldError[] {
  return Object.entries(requests).flatMap(([name, amount]) => {
    const faults = [
      ...containerResourceName(name, path.key(name)),
      ...quantityFaults({ name, amount, path: path.key(name) }),
    ];
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
    const requested = billionthsOf(amount);
    const max = limit === undefined ? undefined : billionthsOf(limit);
    const overcommit = containerResources.has(name);
    if (max !== undefined && !overcommit && requested !== max) {
      faults.push(invalidField(path, amount, `must be equal to ${name} limit of ${limit}`));
    } else if (max !== undefined && requested > max) {
      faults.push(invalidField(path, amount, `must be less than or equal to ${name} limit of ${limit}`));
    } else if (max === undefined && !overcommit && name.includes('/')) {
      faults.push(invalidField(path, `${amount}`, `must be equal to ${name} limit`));
    }
    return faults;
  });
}

/** Validates the name of any resource: standard, or qualified by a domain. */
export function resourceName(name: string, path: FieldPath): FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => invalidField(path, name, detail));
  if (faults.length > 0 || name.includes('/')) return faults;
  const known =
    standard.has(name) || name.startsWith('hugepages-') || name.startsWith('requests.') || name.startsWith('limits.');
  return known ? [] : [invalidField(path, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a resource that containers can request. */
export function containerResourceName(name: string, path: FieldPath): FieldError[] {
  const faults = resourceName(name, path);
  if (name.includes('/') || containerResources.has(name) || name.startsWith('hugepages-')) return faults;
  return [...faults, invalidField(path, name, 'must be a standard resource for containers')];
}

/** Validates an amount of a resource: not negative, and an integer if the resource is indivisible. */
export function quantityFaults(part: {
  readonly name: string;
  readonly amount: string;
  readonly path: FieldPath;
}): FieldError[] {
  const { name, amount, path } = part;
  const nano = billionthsOf(amount);
  if (nano < 0n) return [invalidField(path, amount, 'must be greater than or equal to 0')];
  const divisible = ['cpu', 'memory', 'ephemeral-storage', 'storage'].includes(
    name.replace(/^(requests|limits)\./, ''),
  );
  return !divisible && nano % 1_000_000_000n !== 0n ? [invalidField(path, amount, 'must be an integer')] : [];
}
