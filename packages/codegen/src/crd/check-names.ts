import { checkDns1035Label, checkDns1123Subdomain } from '@kubewright/apimachinery';

/** A name that the API server would reject. */
export interface NameFault {
  /** Path in the CRD: `spec.names.kind`. */
  readonly field: string;
  readonly value: unknown;
  readonly rule: string;
}

/** The names of a kind. They are unknown values, because an imported CRD can contain anything. */
export interface NamesToCheck {
  readonly group: unknown;
  readonly kind: unknown;
  readonly plural: unknown;
  readonly singular?: unknown;
  readonly listKind?: unknown;
  readonly shortNames?: unknown;
  readonly categories?: unknown;
  readonly versions: readonly unknown[];
}

type Check = (value: string) => readonly string[];

const label: Check = checkDns1035Label;
const mixedCaseLabel: Check = (value) => checkDns1035Label(value.toLowerCase());

/**
 * Checks names like the API server (1.36). Names that pass are safe in file names, URLs, labels and comments: they consist of
 * letters, digits, dashes and, in groups, dots.
 */
export function checkNames(names: NamesToCheck): readonly NameFault[] {
  const { group, kind, plural, singular, listKind, shortNames, categories, versions } = names;
  return [
    ...faultsOf('spec.group', [group], checkDns1123Subdomain),
    ...faultsOf('spec.names.kind', [kind], mixedCaseLabel),
    ...faultsOf('spec.names.plural', [plural], label),
    ...faultsOf('spec.names.singular', optional(singular), label),
    ...faultsOf('spec.names.listKind', optional(listKind), mixedCaseLabel),
    ...faultsOf('spec.names.shortNames', listed(shortNames), label),
    ...faultsOf('spec.names.categories', listed(categories), label),
    ...faultsOf('spec.versions', versions, label),
  ];
}

function faultsOf(field: string, values: readonly unknown[], check: Check): readonly NameFault[] {
  return values.flatMap((value): readonly NameFault[] => {
    if (typeof value !== 'string') return [{ field, value, rule: 'must be a string' }];
    const [rule] = check(value);
    return rule === undefined ? [] : [{ field, value, rule: rule.replace(/ \(.*$/, '') }];
  });
}

function optional(value: unknown): readonly unknown[] {
  return value === undefined || value === '' ? [] : [value];
}

function listed(value: unknown): readonly unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
