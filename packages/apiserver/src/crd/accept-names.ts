import type { CrdCondition, CrdNames, CustomResourceDefinition } from './custom-resource-definition.ts';

/** Names accepted for other CRDs of a group. */
export interface NamesInUse {
  /** Plurals, singulars and short names. */
  readonly resources: ReadonlySet<string>;
  /** Kinds and list kinds. */
  readonly kinds: ReadonlySet<string>;
}

/**
 * Accepts each of a CRD's names that no other CRD uses. If a name is rejected, the previously accepted name stays in
 * place. Mirrors the naming controller of apiextensions-apiserver (1.36).
 */
export function acceptNames(
  { spec, status }: CustomResourceDefinition,
  { resources, kinds }: NamesInUse,
): { readonly accepted: CrdNames; readonly condition: CrdCondition } {
  const { names } = spec;
  const before: Partial<CrdNames> = status?.acceptedNames ?? {};
  let conflict: { readonly reason: string; readonly message: string } | undefined;
  const grant = (
    reason: string,
    name: string | undefined,
    { used, had }: { readonly used: ReadonlySet<string>; readonly had: string | undefined },
  ): string | undefined => {
    if (!name || name === had || !used.has(name)) return name;
    conflict = { reason, message: inUse(name) };
    return had;
  };
  const plural = grant('PluralConflict', names.plural, { used: resources, had: before.plural });
  const singular = grant('SingularConflict', names.singular, { used: resources, had: before.singular });
  const taken = (names.shortNames ?? []).filter((name) => !before.shortNames?.includes(name) && resources.has(name));
  if (taken.length > 0) conflict = { reason: 'ShortNamesConflict', message: aggregate(taken.map(inUse)) };
  const shortNames = taken.length > 0 ? before.shortNames : names.shortNames;
  const kind = grant('KindConflict', names.kind, { used: kinds, had: before.kind });
  const listKind = grant('ListKindConflict', names.listKind, { used: kinds, had: before.listKind });
  return {
    accepted: {
      plural: plural ?? '',
      ...(singular && { singular }),
      ...(shortNames && shortNames.length > 0 && { shortNames }),
      kind: kind ?? '',
      ...(listKind && { listKind }),
      ...(names.categories && names.categories.length > 0 && { categories: names.categories }),
    },
    condition: conflict
      ? { type: 'NamesAccepted', status: 'False', ...conflict }
      : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
  };
}

/** A commit has room for 128 keys; names beyond this number are not claimed. */
const maxClaims = 100;

/** Returns the storage claims for a CRD's accepted names. No other CRD of the group may claim them. */
export function nameClaims({ spec, status }: CustomResourceDefinition): readonly string[] {
  const { plural, singular, shortNames = [], kind, listKind } = status?.acceptedNames ?? {};
  const of = (type: string, names: readonly (string | undefined)[]): readonly string[] =>
    names.filter((name) => name).map((name) => `crdnames/${spec.group}/${type}/${name}`);
  return [...of('resources', [plural, singular, ...shortNames]), ...of('kinds', [kind, listKind])].slice(0, maxClaims);
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}

/** Formats several errors as Go does. */
function aggregate(messages: readonly string[]): string {
  return messages.length === 1 ? String(messages[0]) : `[${messages.join(', ')}]`;
}
