import {
  checkQualifiedName,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  Quantity,
  requiredField,
} from '@kubewright/apimachinery';
import type { ResourceClaim, ResourceRequirements } from '../generated/drafts.ts';
import type { Check } from '../validation/check.ts';
import { billionthsOf } from '../wire/quantity.ts';

const compute = ['cpu', 'memory', 'ephemeral-storage'];
const containerResources: ReadonlySet<string> = new Set(compute);
/** Resources that count objects. */
const counted = [
  'pods',
  'services',
  'secrets',
  'configmaps',
  'replicationcontrollers',
  'resourcequotas',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const integers: ReadonlySet<string> = new Set(counted);
const standard: ReadonlySet<string> = new Set([
  ...compute.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
  'storage',
  'requests.storage',
  ...counted,
]);

type NameRule = (name: string, path: FieldPath) => readonly FieldError[];

/** Validates the resource requirements of a container: known names, integers for indivisible resources, and requests within limits. */
export function resources(claims: Check<ResourceClaim[]>): Check<ResourceRequirements> {
  return (value, path) => [...requirements(value, { path, nameRule: containerResourceName }), ...named(value, path)];
  function named(value: ResourceRequirements | undefined, path: FieldPath): readonly FieldError[] {
    return claims(value?.claims ?? undefined, path.child('claims'));
  }
}

/** Validates limits and requests. `nameRule` decides which resources are allowed. */
export function requirements(
  value: ResourceRequirements | undefined,
  { path, nameRule }: { readonly path: FieldPath; readonly nameRule: NameRule },
): readonly FieldError[] {
  if (!value) return [];
  const limits = value.limits ?? {};
  const requests = value.requests ?? {};
  const faults = [
    ...listFaults(limits, { path: path.child('limits'), nameRule }),
    ...listFaults(requests, { path: path.child('requests'), nameRule }),
    ...Object.keys(requests).flatMap((name) => pairFaults(name, { limits, requests, path })),
  ];
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  const hugePages = names.some((name) => name.startsWith('hugepages-'));
  if (hugePages && !names.includes('cpu') && !names.includes('memory')) {
    faults.push(forbiddenField(path, 'HugePages require cpu or memory'));
  }
  return faults;
}

function listFaults(
  list: Readonly<Record<string, string>>,
  { path, nameRule }: { readonly path: FieldPath; readonly nameRule: NameRule },
): FieldError[] {
  return Object.entries(list).flatMap(([name, amount]) => [
    ...nameRule(name, path.key(name)),
    ...quantityFaults({ name, amount, path: path.key(name) }),
    ...hugePageFaults({ name, amount, path: path.key(name) }),
  ]);
}

/** Requires whole pages: `hugepages-2Mi` in multiples of 2Mi. */
function hugePageFaults({ name, amount, path }: Parameters<typeof quantityFaults>[0]): readonly FieldError[] {
  if (!name.startsWith('hugepages-')) return [];
  const size = Quantity.tryParse(name.slice('hugepages-'.length))?.scaledValue(-9);
  if (size === undefined || size === 0n) return [];
  if (billionthsOf(amount) % size === 0n) return [];
  return [invalidField(path, amount, `${amount} is not positive integer multiple of ${name}`)];
}

interface Pair {
  readonly limits: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
  readonly path: FieldPath;
}

/** Rejects a request that exceeds its limit, or differs from its limit if the resource cannot be overcommitted. */
function pairFaults(name: string, { limits, requests, path }: Pair): readonly FieldError[] {
  const amount = requests[name] ?? '';
  const limit = Object.hasOwn(limits, name) ? limits[name] : undefined;
  // Huge pages and extended resources cannot be overcommitted. Defaulting has already derived missing requests of extended
  // resources.
  const overcommit = !name.startsWith('hugepages-') && isNative(name);
  if (limit === undefined) {
    return overcommit
      ? []
      : [requiredField(path.child('limits'), 'Limit must be set for non overcommitable resources')];
  }
  const requested = billionthsOf(amount);
  const max = billionthsOf(limit);
  const at = path.child('requests');
  if (!overcommit && requested !== max) return [invalidField(at, amount, `must be equal to ${name} limit of ${limit}`)];
  return requested > max ? [invalidField(at, amount, `must be less than or equal to ${name} limit of ${limit}`)] : [];
}

/** Validates the name of any resource, either standard or qualified by a domain. */
export function resourceName(name: string, path: FieldPath): FieldError[] {
  const faults = checkQualifiedName(name).map((detail) => invalidField(path, name, detail));
  if (faults.length > 0 || name.includes('/')) return faults;
  const known = standard.has(name) || /^(requests\.)?hugepages-/.test(name);
  return known ? [] : [invalidField(path, name, 'must be a standard resource type or fully qualified')];
}

/** Validates the name of a resource that containers can request. */
export function containerResourceName(name: string, path: FieldPath): FieldError[] {
  const faults = resourceName(name, path);
  if (name.includes('/')) {
    if (isNative(name) || isExtended(name)) return faults;
    return [...faults, invalidField(path, name, "doesn't follow extended resource name standard")];
  }
  if (containerResources.has(name) || name.startsWith('hugepages-')) return faults;
  return [...faults, invalidField(path, name, 'must be a standard resource for containers')];
}

/** True for resource names without a domain or with Kubernetes' domain. */
export function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/**
 * True for extended resources, such as `example.com/gpu`. The name must also be valid with the prefix `requests.`, which quotas
 * use.
 */
function isExtended(name: string): boolean {
  return !isNative(name) && !name.startsWith('requests.') && checkQualifiedName(`requests.${name}`).length === 0;
}

/** Validates the amount of a resource: not negative, and an integer if the resource is indivisible. */
export function quantityFaults(part: {
  readonly name: string;
  readonly amount: string;
  readonly path: FieldPath;
}): FieldError[] {
  const { name, amount, path } = part;
  const nano = billionthsOf(amount);
  const faults = nano < 0n ? [invalidField(path, amount, 'must be greater than or equal to 0')] : [];
  const milli = Quantity.tryParse(amount)?.scaledValue(-3) ?? 0n;
  if ((integers.has(name) || isExtended(name)) && milli % 1000n !== 0n)
    faults.push(invalidField(path, amount, 'must be an integer'));
  return faults;
}
