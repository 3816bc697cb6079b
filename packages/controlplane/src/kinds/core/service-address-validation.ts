import { isIPv4, isIPv6 } from 'node:net';
import { duplicateField, type FieldError, FieldPath, invalidField, requiredField } from '@kubewright/apimachinery';
import type { Service, ServiceSpec } from '../generated/drafts.ts';
import { enumOf, present } from '../validation/check.ts';
import { ipAddress } from '../validation/ip.ts';

const addresses = FieldPath.of('spec', 'clusterIPs');
const families = FieldPath.of('spec', 'ipFamilies');
const policy = present(enumOf('PreferDualStack', 'RequireDualStack', 'SingleStack'));

/** Validates a Service's addresses and IP families. Mirrors `ValidateServiceClusterIPsRelatedFields` (1.36). */
export function serviceAddressFaults(spec: ServiceSpec): readonly FieldError[] {
  // Another rule rejects addresses of ExternalName Services.
  if (spec.type === 'ExternalName') return [];
  const list = spec.clusterIPs ?? [];
  const faults = [
    ...firstAddressFaults(spec),
    ...familyFaults(spec.ipFamilies ?? []),
    ...policy(spec.ipFamilyPolicy, FieldPath.of('spec', 'ipFamilyPolicy')),
    ...eachAddress(list),
  ];
  if (list.length > 2) faults.push(invalidField(addresses, list, 'may only hold up to 2 values'));
  // Upstream skips the remaining checks if an address is malformed, because the address's family is unknown.
  if (eachAddress(list).length > 0) return faults;
  const hasBothFamilies = list.some((address) => isIPv6(address)) && list.some((address) => isIPv4(address));
  if (list.length > 1 && !hasBothFamilies) {
    faults.push(invalidField(addresses, list, 'may specify no more than one IP for each IP family'));
  }
  return list[0] === 'None' ? faults : [...faults, ...matchFaults(list, spec.ipFamilies ?? [])];
}

/** Checks that `clusterIP` is the first of `clusterIPs`. */
function firstAddressFaults({ clusterIP, clusterIPs }: ServiceSpec): FieldError[] {
  const list = clusterIPs ?? [];
  if (!clusterIP) {
    if (list.length === 0) return [];
    return [invalidField(addresses, list, 'must be empty when `clusterIP` is not specified')];
  }
  if (list.length === 0) return [requiredField(addresses)];
  return list[0] === clusterIP ? [] : [invalidField(addresses, list, 'first value must match `clusterIP`')];
}

function familyFaults(list: readonly string[]): readonly FieldError[] {
  const seen = new Set<string>();
  return list.flatMap((family, index) => {
    const at = families.index(index);
    const faults = [...enumOf('IPv4', 'IPv6')(family, at)];
    if (seen.has(family)) faults.push(duplicateField(at, family));
    seen.add(family);
    return faults;
  });
}

function eachAddress(list: readonly string[]): readonly FieldError[] {
  return list.flatMap((address, index) => {
    if (index > 0 || address !== 'None') return ipAddress(address, addresses.index(index));
    return list.length > 1 ? [invalidField(addresses, list, "'None' must be the first and only value")] : [];
  });
}

function matchFaults(list: readonly string[], given: readonly string[]): readonly FieldError[] {
  return list.flatMap((address, index) => {
    const family = given[index];
    if (family === undefined || isIPv6(address) === (family === 'IPv6')) return [];
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    return [invalidField(addresses.index(index), address, detail)];
  });
}

/** Validates address changes. The first address stays; a second address can be added, or released with the policy `SingleStack`. */
export function serviceAddressChanges({ spec }: Service, { spec: old }: Service): readonly FieldError[] {
  if (spec.type === 'ExternalName' || old.type === 'ExternalName') return [];
  const [now, before] = [spec.clusterIPs ?? [], old.clusterIPs ?? []];
  const isHeadless = (list: readonly string[]): boolean => list.length === 1 && list[0] === 'None';
  const faults: FieldError[] = [];
  const at = addresses.index(0);
  // Malformed addresses are reported separately.
  if (!(isHeadless(now) && isHeadless(before)) && eachAddress(now).length === 0) {
    if (now.length === before.length) {
      for (const [index, address] of before.entries()) {
        if (address !== now[index]) faults.push(invalidField(addresses.index(index), now, 'may not change once set'));
      }
    } else {
      if (now.length === 0) faults.push(invalidField(at, now, 'primary clusterIP can not be unset'));
      if (now.length > 0 && before.length > 0 && now[0] !== before[0]) {
        faults.push(invalidField(at, now, 'may not change once set'));
      }
      if (now.length < before.length && now.length === 1) faults.push(...releaseFaults(spec, 'clusterIP'));
    }
  }
  return isHeadless(now) || isHeadless(before) ? faults : [...faults, ...familyChanges(spec, old)];
}

function familyChanges(spec: ServiceSpec, old: ServiceSpec): readonly FieldError[] {
  const [now, before] = [spec.ipFamilies ?? [], old.ipFamilies ?? []];
  const at = families.index(0);
  if (now.length === before.length) {
    return before.flatMap((family, index) =>
      family === now[index] ? [] : [invalidField(at, now, 'may not change once set')],
    );
  }
  const faults: FieldError[] = [];
  if (now.length < before.length && isEmpty(spec.clusterIPs)) {
    faults.push(invalidField(at, now, 'primary ipFamily can not be unset'));
  }
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) {
    faults.push(invalidField(at, spec.clusterIPs ?? [], 'may not change once set'));
  }
  return now.length < before.length && now.length === 1 ? [...faults, ...releaseFaults(spec, 'ipFamily')] : faults;
}

function isEmpty(list: readonly string[] | null | undefined): boolean {
  return (list ?? []).length === 0;
}

function releaseFaults({ ipFamilyPolicy }: ServiceSpec, what: string): readonly FieldError[] {
  if (ipFamilyPolicy === 'SingleStack') return [];
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  return [invalidField(FieldPath.of('spec', 'ipFamilyPolicy'), ipFamilyPolicy ?? null, detail)];
}
