import type { Overload } from '../library/library.ts';
import { type CelType, dynType, isDyn, sameType } from './cel-type.ts';
import { substitute, type Unifier } from './unify.ts';

/**
 * Returns the overloads that accept the arguments, and the call's result type, which is `dyn` if the overloads
 * disagree. Returns undefined if no overload accepts the arguments.
 */
export function resolveOverloads(
  overloads: readonly Overload[],
  call: { readonly args: readonly CelType[]; readonly isMember: boolean },
  unifier: Unifier,
): { readonly matching: readonly Overload[]; readonly result: CelType } | undefined {
  const matching: Overload[] = [];
  let result: CelType | undefined;
  for (const overload of overloads) {
    if (overload.member !== call.isMember) continue;
    const bound = instantiate(overload, unifier);
    if (!unifier.assignableAll(call.args, bound.params)) continue;
    matching.push(overload);
    const type = unifier.resolve(bound.result, false);
    if (result === undefined) result = type;
    else if (!isDyn(result) && !sameType(result, type)) result = dynType;
  }
  return result && { matching, result };
}

/** Returns the overload's types with fresh type parameters. */
function instantiate(
  overload: Overload,
  unifier: Unifier,
): { readonly params: readonly CelType[]; readonly result: CelType } {
  if (overload.typeParams.length === 0) return overload;
  const fresh = new Map(overload.typeParams.map((name) => [name, unifier.newVariable()]));
  return {
    params: overload.params.map((param) => substitute(fresh, param, false)),
    result: substitute(fresh, overload.result, false),
  };
}
