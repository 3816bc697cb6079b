import { type BuiltinResource, builtinResources } from '@kubewright/schema/internal';
import type { KindModel } from '../compiler/find-kinds.ts';
import type { Problems } from '../problem.ts';

/**
 * Warns about short names that `kubectl` resolves to another kind. `kubectl` uses the first match in discovery order, in
 * which built-in kinds come first: `kubectl get po` always shows pods.
 */
export function checkShortNames(kinds: readonly KindModel[], problems: Problems): void {
  const takenBy = new Map<string, string>();
  for (const kind of kinds) {
    const own = `${kind.kind} of ${kind.group}`;
    for (const name of kind.shortNames) {
      const other = ownerIn(builtinResources(), name) ?? takenBy.get(name) ?? own;
      takenBy.set(name, other);
      if (other === own) continue;
      problems.add(kind.at, {
        code: 'KW6305',
        severity: 'warning',
        what: `the short name ${name} of ${kind.kind} is already used by ${other}`,
        why: `kubectl get ${name} shows objects of that kind`,
        fix: `choose another name in shortNames, or remove ${name}`,
      });
    }
  }
}

function ownerIn(resources: readonly BuiltinResource[], name: string): string | undefined {
  const found = resources.find((each) => [each.resource, each.singular, ...each.shortNames].includes(name));
  return found && `${found.kind} of ${found.group === '' ? 'the core group' : found.group}`;
}
