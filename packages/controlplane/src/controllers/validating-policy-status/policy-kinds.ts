import type { GroupVersionKind } from '@kubewright/apimachinery';
import type { ValidatingAdmissionPolicy } from '@kubewright/apimachinery/admissionregistration/v1';
import type { ServedKind } from './served-kinds.ts';

const maxKinds = 10;

/**
 * Returns the kinds to check a policy against, at most ten. Leaves out subresources, and rules with wildcards for groups or
 * versions. Mirrors `typesToCheck` (1.36).
 */
export function policyKinds({ spec }: ValidatingAdmissionPolicy, served: readonly ServedKind[]): readonly ServedKind[] {
  const found = new Map<string, ServedKind>();
  for (const rule of spec?.matchConstraints?.resourceRules ?? []) {
    let count = 0;
    for (const group of withoutWildcards(rule.apiGroups)) {
      for (const version of withoutWildcards(rule.apiVersions)) {
        for (const resource of plainResources(rule.resources)) {
          for (const kind of served) {
            // As in upstream, look up a resource without a group in all groups.
            if (kind.resource !== resource || kind.version !== version || (group !== '' && kind.group !== group))
              continue;
            found.set(kindText(kind), kind);
            if (++count === maxKinds) return sorted(found);
          }
        }
      }
    }
  }
  return sorted(found);
}

/** Formats a kind as Go prints it: `apps/v1, Kind=Deployment`. */
export function kindText({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}, Kind=${kind}`;
}

function withoutWildcards(names: readonly string[] | undefined): readonly string[] {
  return names === undefined || names.some((name) => name.includes('*')) ? [] : [...names].sort();
}

function plainResources(names: readonly string[] | undefined): readonly string[] {
  return (names ?? []).filter((name) => !/[*/]/.test(name)).sort();
}

function sorted(kinds: ReadonlyMap<string, ServedKind>): readonly ServedKind[] {
  const key = ({ group, version, kind }: ServedKind): string => [group, version, kind].join('\0');
  return [...kinds.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
